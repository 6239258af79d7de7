import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { beforeAll, expect, test } from 'vitest';
import { freshTable } from '../../test/support/service.ts';
import { prepare } from './compared/contestants.ts';

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

/** Changes the body of a request. */
const withBody =
  (change: object) =>
  (event: APIGatewayProxyEvent): APIGatewayProxyEvent => ({
    ...event,
    body: JSON.stringify({ ...JSON.parse(event.body ?? ''), ...change }),
  });
const asIs = (event: APIGatewayProxyEvent): APIGatewayProxyEvent => event;

/** Requests, each made from a number. Credit pays the sales with even numbers. */
const cases: [string, string, number, number, (event: APIGatewayProxyEvent) => APIGatewayProxyEvent][] = [
  ['get-credit', 'a customer', 200, 0, asIs],
  ['get-credit', 'nobody', 404, 0, (event) => withParams(event, 'identifier', unknown)],
  ['increment-credit', 'an increment', 200, 0, asIs],
  ['increment-credit', 'a fraction', 400, 0, withBody({ delta: 0.5 })],
  ['increment-credit', 'more than there is', 400, 0, withBody({ delta: -1_000_000 })],
  ['create-sale', 'a sale that credit pays', 201, 2, asIs],
  ['create-sale', 'a sale that L$ pay', 201, 3, asIs],
  ['create-sale', 'one that is overpaid', 201, 3, withBody({ paid: 101 })],
  ['create-sale', 'one that is underpaid', 201, 3, withBody({ paid: 99 })],
  ['create-sale', 'a product that is not there', 201, 3, withBody({ productId: unknown })],
  ['create-sale', 'less than nothing', 400, 3, withBody({ paid: -1 })],
];

test.each(cases)(
  '%s of %s gets the same answer from Hono and ElectroDB, and again when it is repeated',
  async (operation, _, status, number, change) => {
    const answers = [];
    for (const { handler, eventOf } of contestants.filter((one) => one.operation === operation)) {
      const event = change(eventOf(number));
      const sent = [await handler(event, {} as Context), await handler(event, {} as Context)];
      const [first, again] = sent.map(({ statusCode, body }) => ({ statusCode, ...JSON.parse(body) }));
      if (operation === 'create-sale') expect(again).toEqual(first);
      const { state, refusal, base, total, credit, paid, refund } = first;
      answers.push({ status: first.statusCode, state, refusal, base, total, credit, paid, refund });
    }

    expect(answers).toEqual(Array(2).fill(answers[0]));
    expect(answers[0]).toMatchObject({ status });
  },
);

test('a sale of either takes its price from credit once, and another request under its id gets 422', async () => {
  for (const contestant of new Set(contestants.map((one) => one.contestant))) {
    const of = (operation: string) =>
      contestants.find(
        (one) => one.operation === operation && one.contestant === contestant,
      ) as (typeof contestants)[number];
    const credit = async (): Promise<number> => {
      const { handler, eventOf } = of('get-credit');
      return JSON.parse((await handler(eventOf(4), {} as Context)).body).credit;
    };
    const { handler, eventOf } = of('create-sale');
    const event = eventOf(4);
    const before = await credit();

    const repeats = await Promise.all([1, 2, 3].map(() => handler(event, {} as Context)));
    const other = await handler(withBody({ paid: 5 })(event), {} as Context);

    expect(repeats.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201]);
    expect(other.statusCode).toBe(422);
    expect(await credit()).toBe(before - 100);
  }
});
