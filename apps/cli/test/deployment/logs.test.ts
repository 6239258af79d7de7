import { CloudFormationClient, ListStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { source } from '../../../../lib/clock.ts';
import { type LogLine, type LogQuery, stageLogs } from '../../deployment/logs.ts';

/** The logs of a deployment, from stubs of the answers of CloudFormation and CloudWatch: it has not run on AWS. */

const formation = mockClient(CloudFormationClient);
const watch = mockClient(CloudWatchLogsClient);
afterAll(() => {
  formation.restore();
  watch.restore();
});

const since = '2027-01-31T12:00:00.000Z';
const at = (seconds: number): number => Date.parse(since) + seconds * 1000;
const group = (LogicalResourceId: string, PhysicalResourceId: string) => ({
  ...{ LogicalResourceId, PhysicalResourceId, ResourceType: 'AWS::Logs::LogGroup' },
  ...{ LastUpdatedTimestamp: undefined, ResourceStatus: undefined },
});
const event = (eventId: string, seconds: number, message: object | string) => ({
  ...{ eventId, timestamp: at(seconds) },
  message: typeof message === 'string' ? message : JSON.stringify(message),
});

/** The lines of each log group. */
let lines: Record<string, ReturnType<typeof event>[]>;

beforeEach(() => {
  source.now = () => at(45);
  const pages: Record<string, object[]> = {
    'store-integration-prod': [
      {
        StackResourceSummaries: [group('ApiAccessLog0A1B2C3D', 'access'), group('authorizerLogFFFFFFFF', 'authorizer')],
        NextToken: 'more',
      },
      { StackResourceSummaries: [group('couponsgetcouponLog0A1B2C3D', 'coupon'), group('OtherLog', 'other')] },
    ],
  };
  formation
    .on(ListStackResourcesCommand)
    .callsFake(({ StackName, NextToken }) => pages[StackName]?.[NextToken ? 1 : 0]);
  lines = {
    access: [
      event('1', 1, { requestId: 'abc', method: 'GET', route: '/v1/coupons/{id}', status: '500', milliseconds: '12' }),
      event('2', 5, { requestId: 'def', method: 'GET', route: '/v1/store', status: '200', milliseconds: '9' }),
    ],
    authorizer: [event('3', 0, { level: 'INFO', requestId: 'abc', allowed: true })],
    coupon: [
      event('4', 1, 'START RequestId: x'),
      event('5', 2, { level: 'ERROR', requestId: 'abc', stack: 'Error: no\n at x' }),
      event('6', 3, 'abc Task timed out after 29.00 seconds\n'),
    ],
    other: [event('7', 0, 'never read')],
  };
  watch
    .on(FilterLogEventsCommand)
    .callsFake(({ logGroupName, startTime, endTime = at(1e6), filterPattern, nextToken }) => {
      const texts = [...(filterPattern ?? '').matchAll(/"([^"]+)"/g)].map(([, text]) => text);
      const events = (lines[logGroupName] ?? []).filter(
        ({ timestamp, message }) =>
          timestamp >= startTime && timestamp < endTime && texts.every((text) => message.includes(String(text))),
      );
      // The first page of an answer may be empty.
      return nextToken ? { events } : { events: [], nextToken: 'more' };
    });
});

const all = async (query: Partial<LogQuery>): Promise<LogLine[]> => {
  const found: LogLine[] = [];
  for await (const some of stageLogs('prod', { since, ...query }, undefined)) found.push(...some);
  return found;
};

test('reads the requests from the gateway’s log, of the time that is asked for', async () => {
  const requests = await all({});
  const early = await all({ until: '2027-01-31T12:00:02.000Z' });

  expect(requests).toMatchObject([
    { at: '2027-01-31T12:00:01.000Z', function: undefined, fields: { requestId: 'abc', status: '500' } },
    { fields: { requestId: 'def' } },
  ]);
  expect(early.map(({ fields }) => fields.requestId)).toEqual(['abc']);
});

test('reads the log of one function, without the lines of the platform', async () => {
  const found = await all({ function: 'coupons/get-coupon' });
  const some = await all({ function: 'coupons/get-coupon', filter: 'timed out' });

  expect(found.map(({ fields }) => fields)).toEqual([
    { level: 'ERROR', requestId: 'abc', stack: 'Error: no\n at x' },
    { message: 'abc Task timed out after 29.00 seconds' },
  ]);
  expect(some).toHaveLength(1);
  await expect(all({ function: 'coupons/nope' })).rejects.toThrow(/There are: authorizer, .*coupons\/get-coupon/);
});

test('shows one request from the gateway’s log, the authorizer’s and that of its function, in the order of time', async () => {
  const found = await all({ request: 'abc' });

  expect(found.map(({ function: name }) => name)).toEqual([
    'authorizer',
    undefined,
    'coupons/get-coupon',
    'coupons/get-coupon',
  ]);
  const read = watch.commandCalls(FilterLogEventsCommand).map(({ args }) => args[0].input.logGroupName);
  expect(read).not.toContain('other');
});

test('follows a log: each line once, late ones too, until the signal', async () => {
  const ended = new AbortController();
  const seen: string[][] = [];

  for await (const some of stageLogs('prod', { since }, ended.signal, 1)) {
    seen.push(some.map(({ fields }) => String(fields.requestId)));
    if (seen.length === 1)
      lines.access?.push(event('8', 20, { requestId: 'late' }), event('9', 46, { requestId: 'next' }));
    if (seen.length === 3) ended.abort();
  }

  expect(seen).toEqual([['abc', 'def'], ['late', 'next'], []]);
});
