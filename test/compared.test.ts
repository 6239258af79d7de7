import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { beforeAll, expect, test } from 'vitest';
import { prepare } from '../bench/compared/contestants.ts';
import { freshTable } from './support/service.ts';

let contestants: Awaited<ReturnType<typeof prepare>>;
beforeAll(async () => {
  await freshTable();
  contestants = await prepare();
});

const withParams = (event: APIGatewayProxyEvent, name: string, value: string): APIGatewayProxyEvent => ({
  ...event,
  path: event.path.replace(Object.values(event.pathParameters ?? {})[0] ?? '', value),
  pathParameters: { [name]: value },
});

const unknown = 'ffffffff-7e57-0000-0000-000000000000';

/** Requests, made of an event that gets 200. */
const cases: [string, string, number, (event: APIGatewayProxyEvent) => APIGatewayProxyEvent][] = [
  ['get-category', 'a category that is there', 200, (event) => event],
  ['get-category', 'one that is not', 404, (event) => withParams(event, 'id', unknown)],
  ['increment-credit', 'an increment', 200, (event) => event],
  ['increment-credit', 'a fraction', 400, (event) => ({ ...event, body: '{"delta":0.5}' })],
  ['increment-credit', 'what is no JSON', 400, (event) => ({ ...event, body: '{' })],
  ['increment-credit', 'a malformed resident', 400, (event) => withParams(event, 'identifier', '-')],
  ['increment-credit', 'what passes the limit', 400, (event) => ({ ...event, body: '{"delta":1000000000}' })],
];

test.each(cases)(
  '%s of %s gets the same answer from all contestants of the benchmark',
  async (operation, _, status, sent) => {
    const answers = [];
    for (const { handler, event } of contestants.filter((one) => one.operation === operation)) {
      const { statusCode, headers = {}, multiValueHeaders = {}, body } = await handler(sent(event), {} as Context);
      const type = Object.entries({ ...headers, ...multiValueHeaders }).find(
        ([name]) => name.toLowerCase() === 'content-type',
      )?.[1];
      answers.push({ statusCode, type: String(type).split(';')[0], members: Object.keys(JSON.parse(body)).sort() });
    }

    expect(answers).toEqual(Array(3).fill(answers[0]));
    expect(answers[0]?.statusCode).toBe(status);
  },
);
