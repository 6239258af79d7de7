import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { startEngines } from '../../../local/deployed/engines.ts';
import type { FunctionFacts } from '../../../local/deployed/environment.ts';
import { startFunctions } from '../../../local/deployed/functions.ts';
import { makeQueues, startSources } from '../../../local/deployed/sources.ts';
import type { Part, ResolvedTemplate } from '../../../local/deployed/template.ts';
import { startQueue } from '../../../local/engines/queue.ts';
import { ensureTable } from '../../../local/engines/table.ts';
import { atEnd } from '../../support/at-end.ts';
import { received } from '../../support/deliveries.ts';
import { oneLineFunction } from '../../support/one-line-function.ts';

/**
 * The callers of functions on AWS besides the gateway, on real queues and a real stream, with functions of one line
 * each.
 */

const sdk = createRequire(import.meta.url).resolve('@aws-sdk/client-sqs');
const account = 'us-east-1:000000000000';
const queueArn = (name: string) => `arn:aws:sqs:${account}:${name}`;
const all = [{ Effect: 'Allow' as const, Action: '*', Resource: '*' }];

let endpoint: string;
let client: SQSClient;
beforeAll(async () => {
  const queue = await startQueue();
  endpoint = queue.endpoint;
  process.env.AWS_ENDPOINT_URL_SQS = endpoint;
  client = new SQSClient({});
  atEnd(async () => {
    client.destroy();
    await queue.stop();
  });
});
afterEach(() => vi.useRealTimers());

/** A part of a template, as `readTemplate` answers it. */
const templateWith = (resources: Record<string, Record<string, Part>>): Pick<ResolvedTemplate, 'ofType'> => ({
  ofType: (type) =>
    Object.entries(resources[type] ?? {}).map(([id, properties]) => ({
      ...{ id, properties, metadata: {}, dependsOn: [], isRetained: false, ref: () => id },
      arn: () => (type === 'AWS::SQS::Queue' ? queueArn(id) : `arn:aws:iam::000000000000:role/${id}`),
    })),
});

const mapping = (FunctionName: string, EventSourceArn: string, part: object = {}) => ({
  ...{ FunctionName, EventSourceArn, FunctionResponseTypes: ['ReportBatchItemFailures'] },
  ...{ BatchSize: 10, ScalingConfig: { MaximumConcurrency: 2 }, ...part },
});

/** Runs functions with a template's sources until the test has ended. */
const start = async (facts: FunctionFacts[], resources: Record<string, Record<string, Part>>) => {
  const template = templateWith(resources);
  const lines: string[] = [];
  // The runtime puts time, request and level before what a function prints.
  const onLine = (label: string, line: string) => void lines.push(`${label} ${line.split('\t').at(-1)}`);
  const urls = await makeQueues(template, client, endpoint);
  let address = '';
  const functions = startFunctions({ functions: facts, engines: () => address, concurrency: 10, onLine });
  const engines = await startEngines({
    ...{ table: process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', queue: endpoint },
    callerOf: (key) => {
      const found = functions.callerOf(key);
      return found && { name: found.label, statements: found.statements };
    },
    invoke: functions.invoke,
    holdMillis: 0,
  });
  address = engines.address;
  onTestFinished(() => {
    functions.stop();
    engines.stop();
  });
  const tableEndpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  const sources = startSources({
    template,
    functions,
    facts,
    tableEndpoint,
    queueUrls: urls,
    places: new Map(),
    onLine,
  });
  onTestFinished(sources.stop);
  return { lines, urlOf: (name: string): string => urls[name] ?? '' };
};

const send = (QueueUrl: string, MessageBody: string) => client.send(new SendMessageCommand({ QueueUrl, MessageBody }));
/** The first messages on a queue. */
const arrived = (url: string) =>
  vi.waitUntil(
    async () => {
      const bodies = await received(url);
      return bodies.length > 0 && bodies;
    },
    { timeout: 45_000, interval: 100 },
  );

test('of a batch only the messages come back that the function reports, and go to the dead letters in the end', async () => {
  const picky = oneLineFunction(
    'picky',
    `for (const { body } of event.Records) console.log(body);
     return { batchItemFailures: event.Records.filter(({ body }) => body === 'bad').map(({ messageId }) => ({ itemIdentifier: messageId })) };`,
    { statements: all },
  );
  const { lines, urlOf } = await start([picky], {
    'AWS::SQS::Queue': {
      PickyDead: {},
      Picky: {
        // Longer than the function takes on a busy machine. Otherwise other messages come back than the ones that it
        // reports.
        VisibilityTimeout: 4,
        RedrivePolicy: { deadLetterTargetArn: queueArn('PickyDead'), maxReceiveCount: 2 },
      },
    },
    'AWS::Lambda::EventSourceMapping': { Source: mapping('picky', queueArn('Picky')) },
  });

  for (const body of ['good', 'bad', 'fine']) await send(urlOf('Picky'), body);

  expect(await arrived(urlOf('PickyDead'))).toEqual(['bad']);
  expect(lines.sort()).toEqual(['picky bad', 'picky bad', 'picky fine', 'picky good']);
});

test('a function that sends to its own queue is stopped after 16 rounds, unless it allows recursion', async () => {
  const rounds = 20;
  const chain = (label: string, part: Partial<FunctionFacts>) =>
    oneLineFunction(
      label,
      `const { SQSClient, SendMessageCommand } = require(${JSON.stringify(sdk)});
       globalThis.sqs ??= new SQSClient({});
       const round = Number(event.Records[0].body);
       console.log(round);
       if (round < ${rounds}) await sqs.send(new SendMessageCommand({ QueueUrl: process.env.QUEUE_URL, MessageBody: String(round + 1) }));`,
      {
        statements: all,
        environment: { QUEUE_URL: `https://sqs.us-east-1.amazonaws.com/000000000000/${label}` },
        ...part,
      },
    );
  const { lines, urlOf } = await start([chain('stopped', {}), chain('allowed', { isRecursive: true })], {
    'AWS::SQS::Queue': { stopped: {}, allowed: {} },
    'AWS::Lambda::EventSourceMapping': {
      Stopped: mapping('stopped', queueArn('stopped')),
      Allowed: mapping('allowed', queueArn('allowed')),
    },
  });

  for (const name of ['stopped', 'allowed']) await send(urlOf(name), '1');

  const stop = 'stopped Lambda stops a chain of calls that has gone 16 times through stopped.';
  await vi.waitUntil(() => lines.includes(stop) && lines.includes(`allowed ${rounds}`), { timeout: 30_000 });
  const times = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
  expect(lines.filter((line) => /^stopped \d+$/.test(line))).toEqual(times(16).map((round) => `stopped ${round}`));
  expect(lines.filter((line) => /^allowed/.test(line))).toEqual(times(rounds).map((round) => `allowed ${round}`));
});

test('of a stream’s batch the records before a failure are done once; one that fails for too long goes to the queue', async () => {
  const table = 'test-sources';
  const db = new DynamoDBClient({});
  onTestFinished(() => db.destroy());
  await ensureTable(db, table);
  const put = (id: string) => db.send(new PutItemCommand({ TableName: table, Item: { pk: { S: id }, sk: { S: id } } }));
  for (const id of ['a', 'again', 'b', 'poison']) await put(id);
  const streamed = oneLineFunction(
    'streamed',
    `const ids = event.Records.map(({ dynamodb }) => dynamodb.Keys.pk.S);
     if (ids.includes('poison')) throw new Error(ids.join());
     const at = globalThis.repeated ? -1 : ids.indexOf('again');
     globalThis.repeated ||= at >= 0;
     for (const id of at < 0 ? ids : ids.slice(0, at)) console.log('did ' + id);
     return { batchItemFailures: at < 0 ? [] : [{ itemIdentifier: event.Records[at].dynamodb.SequenceNumber }] };`,
    { statements: all },
  );
  const { lines, urlOf } = await start([streamed], {
    'AWS::SQS::Queue': { Failures: {} },
    'AWS::Lambda::EventSourceMapping': {
      Stream: mapping('streamed', `arn:aws:dynamodb:${account}:table/${table}/stream/1`, {
        BatchSize: 100,
        BisectBatchOnFunctionError: true,
        // Longer than the function takes to start on a busy machine: otherwise it gets no record at all.
        MaximumRecordAgeInSeconds: 15,
        DestinationConfig: { OnFailure: { Destination: queueArn('Failures') } },
        FilterCriteria: { Filters: [{ Pattern: '{"eventName":["INSERT"]}' }] },
      }),
    },
  });

  const [failure = '{}'] = await arrived(urlOf('Failures'));
  await put('c');
  await vi.waitUntil(() => lines.includes('streamed did c'), { timeout: 10_000 });

  expect(JSON.parse(failure)).toMatchObject({
    requestContext: { functionArn: streamed.arn, condition: 'MaximumRecordAgeExceeded' },
    DDBStreamBatchInfo: { batchSize: 1 },
  });
  expect(lines.filter((line) => line.includes(' did '))).toEqual(
    ['a', 'again', 'b', 'c'].map((id) => `streamed did ${id}`),
  );
});

const role = 'arn:aws:iam::000000000000:role/ScheduleRole';
const scheduled = (arn: string, Action = 'lambda:InvokeFunction') => ({
  'AWS::IAM::Role': {
    ScheduleRole: { Policies: [{ PolicyDocument: { Statement: [{ Effect: 'Allow', Action, Resource: arn }] } }] },
  },
  'AWS::Scheduler::Schedule': {
    EveryMinute: { ScheduleExpression: 'rate(1 minute)', Target: { Arn: arn, RoleArn: role } },
  },
});

test('a schedule calls its function at once and then each minute; a call that fails is repeated, and then told to its destination', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  const sweep = oneLineFunction('sweep', "throw new Error('The table is gone.');", { statements: all });
  const { urlOf } = await start([sweep], {
    ...scheduled(sweep.arn),
    'AWS::SQS::Queue': { SweepFailures: {} },
    'AWS::Lambda::EventInvokeConfig': {
      Config: {
        ...{ FunctionName: 'sweep', MaximumRetryAttempts: 0 },
        DestinationConfig: { OnFailure: { Destination: queueArn('SweepFailures') } },
      },
    },
  });

  const told = {
    requestContext: { functionArn: sweep.arn, condition: 'RetriesExhausted', approximateInvokeCount: 1 },
    responsePayload: { errorMessage: 'The table is gone.' },
  };
  const messages: string[] = [];
  const count = async (): Promise<number> => {
    messages.push(...(await received(urlOf('SweepFailures'))));
    return messages.length;
  };
  // A matcher that polls would let the test's clock run.
  while ((await count()) === 0) await sleep(50);
  vi.advanceTimersByTime(59_999);
  await sleep(500);
  const early = await count();
  vi.advanceTimersByTime(1);

  while ((await count()) === 1) await sleep(50);
  expect(early).toBe(1);
  expect(messages.map((message) => JSON.parse(message))).toMatchObject([told, told]);
});

test('does not start with a source, a destination or a schedule that a role does not allow', async () => {
  const idle = oneLineFunction('idle', 'return;');
  const mayRead = { ...idle, statements: [{ Effect: 'Allow' as const, Action: 'dynamodb:*', Resource: '*' }] };
  const stream = mapping('idle', `arn:aws:dynamodb:${account}:table/T/stream/1`, {
    DestinationConfig: { OnFailure: { Destination: queueArn('Idle') } },
  });
  const sourced = (source: object) => ({ 'AWS::Lambda::EventSourceMapping': { Source: source } });

  await expect(start([idle], sourced(mapping('idle', queueArn('Idle'))))).rejects.toThrow(
    'not allow sqs:ReceiveMessage',
  );
  await expect(start([idle], sourced(stream))).rejects.toThrow('not allow dynamodb:DescribeStream');
  await expect(start([mayRead], sourced(stream))).rejects.toThrow('not allow sqs:SendMessage');
  await expect(start([idle], scheduled(idle.arn, 'lambda:GetFunction'))).rejects.toThrow(
    'not allow lambda:InvokeFunction',
  );
});
