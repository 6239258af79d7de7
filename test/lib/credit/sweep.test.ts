import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test } from 'vitest';
import { handler as expirySweep } from '../../../functions/expiry-sweep.ts';
import { getCustomer } from '../../../lib/avatars/customers.ts';
import { timestamp } from '../../../lib/clock.ts';
import { changeCredit } from '../../../lib/credit/change.ts';
import { dueShardOf } from '../../../lib/credit/state.ts';
import { findLastSweep, findOverdue } from '../../../lib/credit/sweep.ts';
import { db, tableName } from '../../../lib/table/client.ts';
import { customerKey } from '../../../lib/table/keys.ts';
import { creditOf, customerWithLots, newCustomer } from '../../support/credit-seed.ts';
import { intercept } from '../../support/faults.ts';
import { freshTable, setClock } from '../../support/service.ts';
import { add, balanceOf, booksOf, change, store, sweep } from './credit.ts';

/** The sweep closes each due lot once, also under concurrent writes. */

const start = Date.parse('2028-02-28T23:59:59.000Z');

beforeEach(async () => {
  setClock(start);
  await freshTable();
});

test('a sweep with a stale index takes nothing from later lots and credit', async () => {
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

test('a sweep finds due customers although the index holds a row of a deleted one', async () => {
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

test('two concurrent sweeps close and report each lot once', async () => {
  const ends = [1, 2, 3].map((second) => ({ amount: 10, expiresAt: timestamp(start + second * 1000) }));
  const uuids = await Promise.all(Array.from({ length: 12 }, () => customerWithLots(store, ends, 5)));
  setClock(start + 2000);

  const reports = await Promise.all([sweep(), sweep()]);

  expect(reports.reduce((sum, { lots }) => sum + lots, 0)).toBe(24);
  expect(reports.reduce((sum, { amount }) => sum + amount, 0)).toBe(240);
  for (const uuid of uuids)
    expect(await booksOf(uuid)).toEqual({ balance: 15, unlotted: 5, states: { expired: 2, open: 1 } });
});

test('a sweep and concurrent writes lose and double nothing', async () => {
  const ends = [1, 2, 3].map((second) => ({ amount: 10, expiresAt: timestamp(start + second * 1000) }));
  const uuid = await customerWithLots(store, ends, 5);
  setClock(start + 2000);

  await Promise.all([sweep(), add(uuid, -3), add(uuid, 7), sweep(), add(uuid, 4, start + 9000)]);

  // 45, less 20 expired, less 3, and 11 more.
  const { balance, states } = await booksOf(uuid);
  expect(balance).toBe(23);
  expect(states).toEqual({ expired: 2, open: 2 });
});

test('a sweep closes the due lots of both credit types in every store', async () => {
  const uuid = await newCustomer();
  for (const name of ['one', 'two'])
    for (const type of ['regular', 'restricted'] as const)
      await changeCredit(
        name,
        { uuid },
        type,
        { kind: 'increment', delta: 10, expiresAt: timestamp(start + 1000) },
        { by: 'test' },
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
  // The sweep records its run for the operator.
  expect([overdue, await findOverdue()]).toEqual([lot.expiresAt, undefined]);
  expect(await findLastSweep()).toMatchObject({ ...second, at: lot.expiresAt });
});

test('a sweep continues after it fails for one customer, and reports the failure', async () => {
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
