import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test } from 'vitest';
import { handler as expirySweep } from '../../functions/expiry-sweep.ts';
import { timestamp } from '../../lib/clock.ts';
import type { CreditCommand } from '../../lib/credit/rules.ts';
import { changeCredit } from '../../lib/store/credit.ts';
import { dueShardOf } from '../../lib/store/credit-state.ts';
import { customerKey, getCustomer } from '../../lib/store/customers.ts';
import { findLastSweep, findOverdue, sweepDueLots } from '../../lib/store/sweep.ts';
import { db, tableName } from '../../lib/store/table.ts';
import { creditOf, customerWithLots, newCustomer, statesOf } from '../support/credit-seed.ts';
import { intercept } from '../support/faults.ts';
import { freshTable, setClock, startTestService } from '../support/service.ts';

/** The edges of time: a lot is live until T while now < T, and what is due is neither spent nor taken twice. */

const start = Date.parse('2028-02-28T23:59:59.000Z');
const store = 'clock';

beforeEach(async () => {
  setClock(start);
  await freshTable();
});

const change = (uuid: string, command: CreditCommand) => changeCredit(store, { uuid }, 'regular', command, 'test');
const add = (uuid: string, delta: number, expiresAt?: number) =>
  change(uuid, { kind: 'increment', delta, expiresAt: expiresAt === undefined ? undefined : timestamp(expiresAt) });
const balanceOf = async (uuid: string): Promise<number> => (await getCustomer(store, { uuid })).credit;
const sweep = () => sweepDueLots('sweep');

const booksOf = async (uuid: string) => {
  const { item, lots, faults } = await creditOf(store, uuid);
  expect(faults).toEqual([]);
  return { balance: item.credit, unlotted: item.creditUnlotted, states: statesOf(lots) };
};

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

  expect(report).toEqual({ lots: 15 - balance === 0 ? 0 : 1, amount: 15 - balance, failed: 0, finished: true });
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

  // What a live lot gives leaves the rest alone; what a due lot held cannot be taken.
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

test('an end with an offset is the moment that it names, 29 February included', async () => {
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

test('a sweep led by a stale index takes nothing from lots and credit that came since', async () => {
  const uuid = await newCustomer();
  await add(uuid, 10, start + 1000);
  setClock(start + 1000);
  await change(uuid, { kind: 'set', credit: 70 });
  await add(uuid, 30, start + 60_000);
  const before = await creditOf(store, uuid);
  const { pk, sk } = customerKey(store, uuid);
  const stop = intercept(({ input }, send) =>
    input.IndexName === 'byDue'
      ? Promise.resolve({ output: { Items: [{ pk, sk }], $metadata: {} }, response: {} })
      : send(),
  );

  const report = await sweep();
  stop();

  expect(report).toEqual({ lots: 0, amount: 0, failed: 0, finished: true });
  expect(await creditOf(store, uuid)).toEqual(before);
});

test('a sweep reads who is due even where a row of the index outlives its customer', async () => {
  await db.send(
    new UpdateCommand({
      TableName: tableName(),
      Key: customerKey(store, 'gone'),
      UpdateExpression: 'SET dues = :dues, due = :due',
      ExpressionAttributeValues: { ':dues': dueShardOf('gone'), ':due': timestamp(start) },
    }),
  );

  expect(await sweep()).toEqual({ lots: 0, amount: 0, failed: 0, finished: true });
});

test('two sweeps at once close each lot once, and report it once between them', async () => {
  const ends = [1, 2, 3].map((second) => ({ amount: 10, expiresAt: timestamp(start + second * 1000) }));
  const uuids = await Promise.all(Array.from({ length: 12 }, () => customerWithLots(store, ends, 5)));
  setClock(start + 2000);

  const reports = await Promise.all([sweep(), sweep()]);

  expect(reports.reduce((sum, { lots }) => sum + lots, 0)).toBe(24);
  expect(reports.reduce((sum, { amount }) => sum + amount, 0)).toBe(240);
  for (const uuid of uuids)
    expect(await booksOf(uuid)).toEqual({ balance: 15, unlotted: 5, states: { expired: 2, open: 1 } });
});

test('a sweep and writes at once lose and double nothing', async () => {
  const ends = [1, 2, 3].map((second) => ({ amount: 10, expiresAt: timestamp(start + second * 1000) }));
  const uuid = await customerWithLots(store, ends, 5);
  setClock(start + 2000);

  await Promise.all([sweep(), add(uuid, -3), add(uuid, 7), sweep(), add(uuid, 4, start + 9000)]);

  // 45, less 20 expired, less 3, and 11 more.
  const { balance, states } = await booksOf(uuid);
  expect(balance).toBe(23);
  expect(states).toEqual({ expired: 2, open: 2 });
});

test('a sweep closes what is due in both credit types and in every store', async () => {
  const uuid = await newCustomer();
  for (const of of ['one', 'two'])
    for (const type of ['regular', 'restricted'] as const)
      await changeCredit(
        of,
        { uuid },
        type,
        { kind: 'increment', delta: 10, expiresAt: timestamp(start + 1000) },
        'test',
      );
  setClock(start + 1000);

  const report = await sweep();

  expect(report).toEqual({ lots: 4, amount: 40, failed: 0, finished: true });
  expect((await getCustomer('two', { uuid })).restrictedCredit).toBe(0);
});

test('a sweep stops before its time is up, says so, and the next one does the rest', async () => {
  const lot = { amount: 10, expiresAt: timestamp(start + 1000) };
  const uuids = await Promise.all(Array.from({ length: 25 }, () => customerWithLots(store, [lot])));
  setClock(start + 1000);
  let asked = 0;
  const context = { awsRequestId: 'first', getRemainingTimeInMillis: () => (++asked > 2 ? 9_000 : 30_000) };

  const first = await expirySweep({}, context as never);
  const overdue = await findOverdue();
  const second = await expirySweep({}, { ...context, getRemainingTimeInMillis: () => 30_000 } as never);

  expect(first).toMatchObject({ failed: 0, finished: false });
  expect(first.lots).toBeGreaterThan(0);
  expect(first.lots).toBeLessThan(25);
  expect(second).toMatchObject({ lots: 25 - first.lots, failed: 0, finished: true });
  expect(await Promise.all(uuids.map(balanceOf))).toEqual(uuids.map(() => 0));
  // It is noted when it ran, for the operator.
  expect([overdue, await findOverdue()]).toEqual([lot.expiresAt, undefined]);
  expect(await findLastSweep()).toMatchObject({ ...second, at: lot.expiresAt });
});

test('a sweep goes on after a customer whom it fails for, and reports the failure', async () => {
  const lot = { amount: 10, expiresAt: timestamp(start + 1000) };
  const [bad = '', ...good] = await Promise.all(Array.from({ length: 5 }, () => customerWithLots(store, [lot])));
  setClock(start + 1000);
  const stop = intercept(({ operation, input }, send) => {
    if (operation.startsWith('TransactWrite') && JSON.stringify(input).includes(bad)) throw new Error('Broken.');
    return send();
  });

  const report = await sweep();
  stop();

  expect(report).toEqual({ lots: 4, amount: 40, failed: 1, finished: true });
  expect(await Promise.all(good.map(balanceOf))).toEqual([0, 0, 0, 0]);
  expect(await sweep()).toMatchObject({ lots: 1, failed: 0 });
});
