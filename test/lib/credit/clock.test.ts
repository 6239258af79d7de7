import { beforeEach, expect, test } from 'vitest';
import { timestamp } from '../../../lib/clock.ts';
import { creditOf, customerWithLots, newCustomer } from '../../support/credit-seed.ts';
import { freshTable, setClock, startTestService } from '../../support/service.ts';
import { add, booksOf, change, store, sweep } from './credit.ts';

/**
 * The limits of time: a lot with expiry T is live while now < T, and credit of a due lot cannot be spent or taken
 * twice.
 */

const start = Date.parse('2028-02-28T23:59:59.000Z');

beforeEach(async () => {
  setClock(start);
  await freshTable();
});

test.each([
  [-1, { open: 1 }, 15],
  [0, { expired: 1 }, 5],
  [1, { expired: 1 }, 5],
])('%i ms after its end a lot counts as %j', async (millis, states, balance) => {
  const uuid = await newCustomer();
  const end = start + 60_000;
  await add(uuid, 5);
  await add(uuid, 10, end);
  setClock(end + millis);

  const report = await sweep();

  expect(report).toEqual({
    lots: 15 - balance === 0 ? 0 : 1,
    amount: 15 - balance,
    failed: 0,
    finished: true,
  });
  expect(await booksOf(uuid)).toEqual({ balance, unlotted: 5, states });
});

test.each([
  [-1, { drained: 1 }, 5],
  [0, { expired: 1 }, -1],
  [1, { expired: 1 }, -1],
])('%i ms after its end a lot is drained or not: %j', async (millis, states, left) => {
  const uuid = await newCustomer();
  const end = start + 60_000;
  await add(uuid, 5);
  await add(uuid, 10, end);
  setClock(end + millis);

  // A live lot gives the credit. A due lot cannot.
  const tooMuch = left < 0 ? await add(uuid, -10).then(() => 'taken', String) : 'not tried';
  const { credit } = await add(uuid, left < 0 ? -4 : -10);

  expect(tooMuch).toContain(left < 0 ? 'which is 5' : 'not tried');
  expect(credit).toBe(left < 0 ? 1 : left);
  expect((await booksOf(uuid)).states).toEqual(states);
});

test.each([
  [1, 'accepted'],
  [0, 'Problem: expiresAt must be in the future.'],
  [-1, 'Problem: expiresAt must be in the future.'],
])('an end %i ms from now is %s, for set and increment alike', async (millis, expected) => {
  const uuid = await newCustomer();
  const problem = (error: Error) => `Problem: ${error.message}`;

  const answers = [
    await add(uuid, 1, start + millis).then(() => 'accepted', problem),
    await change(uuid, { kind: 'set', credit: 1, expiresAt: timestamp(start + millis) }).then(
      () => 'accepted',
      problem,
    ),
  ];

  expect(answers).toEqual([expected, expected]);
});

test('an expiry with an offset is converted to UTC, 29 February included', async () => {
  const service = await startTestService();
  const uuid = await newCustomer();
  const increment = (expiresAt: string) =>
    service.call('POST', `/v1/customers/${uuid}/actions/increment-credit`, { delta: 1, expiresAt });

  const ends = ['2028-02-29T05:30:00+05:30', '2028-02-28T14:00:00.001-10:00', '2028-02-29T00:00:00.002Z'];
  for (const end of ends) expect((await increment(end)).status).toBe(200);
  const past = await increment('2028-02-29T01:59:59+02:00');
  const noLeapYear = await increment('2029-02-29T00:00:00Z');

  const { lots } = await creditOf(service.store, uuid);
  expect(lots.map(({ expiresAt }) => expiresAt)).toEqual([
    '2028-02-29T00:00:00.000Z',
    '2028-02-29T00:00:00.001Z',
    '2028-02-29T00:00:00.002Z',
  ]);
  expect([past.status, noLeapYear.status]).toEqual([400, 400]);
});

test('no order of changes drains a lot that has come due', async () => {
  const uuid = await customerWithLots(
    store,
    [1, 2, 3, 4].map((second) => ({ amount: 10, expiresAt: timestamp(start + second * 1000) })),
  );

  setClock(start + 1000);
  const first = await add(uuid, -5);
  setClock(start + 3000);
  const second = await add(uuid, -5);

  expect([first.credit, second.credit]).toEqual([25, 5]);
  const { lots } = await creditOf(store, uuid);
  expect(lots.map(({ state, remaining }) => [state, remaining])).toEqual([
    ['expired', 10],
    ['expired', 5],
    ['expired', 10],
    ['open', 5],
  ]);
});
