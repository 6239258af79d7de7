import { afterEach, expect, test } from 'vitest';
import { sweepDueLots } from '../../../lib/credit/sweep.ts';
import { creditOf, customerWithLots, newCustomer, statesOf } from '../../support/credit-seed.ts';
import { conflict, intercept, notSent, outcomeOf, throttled } from '../../support/faults.ts';
import { wholeTable } from '../../support/service.ts';
import { inSeconds, isCredit, startFaulty } from './faulty-credit.ts';

const { store, post } = startFaulty();

let stop = () => {};
afterEach(() => stop());

const oneLot = () => customerWithLots(store(), [{ amount: 10, expiresAt: inSeconds(60) }], 5);

const requests: [string, () => Promise<string>, string, object][] = [
  ['an increment', () => customerWithLots(store(), [], 5), 'increment-credit', { delta: 3 }],
  ['an increment that expires', oneLot, 'increment-credit', { delta: 3, expiresAt: inSeconds(90) }],
  ['a decrement without lots', () => customerWithLots(store(), [], 5), 'increment-credit', { delta: -3 }],
  ['a drain of a lot', oneLot, 'increment-credit', { delta: -12 }],
  ['a set', oneLot, 'set-credit', { credit: 3 }],
  ['a set that expires', oneLot, 'set-credit', { credit: 3, expiresAt: inSeconds(90) }],
  ['a first increment', newCustomer, 'increment-restricted-credit', { delta: 3 }],
];

test.each(requests)('503s for %s while the table keeps throttling, and writes nothing', async (...request) => {
  const [, customer, action, body] = request;
  const uuid = await customer();
  const before = await wholeTable();
  stop = intercept(async ({ isWrite, input }, send) => {
    if (isWrite && isCredit(input)) throw throttled();
    return send();
  });

  const { status, headers, body: problem } = await post(uuid, action, body);

  expect(status).toBe(503);
  expect(headers.get('retry-after')).toBe('1');
  expect(problem).not.toHaveProperty('errors');
  expect(await wholeTable()).toEqual(before);
});

test.each(requests)('503s for %s while conflicts last, and writes nothing', async (...request) => {
  const [, customer, action, body] = request;
  const uuid = await customer();
  const before = await wholeTable();
  stop = intercept(async (call, send) => {
    if (call.isWrite && isCredit(call.input)) throw conflict(call);
    return send();
  });

  const { status } = await post(uuid, action, body);

  expect(status).toBe(503);
  expect(await wholeTable()).toEqual(before);
});

test.each(requests)('200s for %s after transient conflicts and throttles', async (...request) => {
  const [, customer, action, body] = request;
  const uuid = await customer();
  let failures = 0;
  stop = intercept(async (call, send) => {
    if (call.isWrite && isCredit(call.input) && ++failures < 6) throw failures % 2 ? conflict(call) : throttled();
    return send();
  });

  const { status } = await post(uuid, action, body);

  expect(status).toBe(200);
  expect((await creditOf(store(), uuid)).faults).toEqual([]);
});

test('200s for a large change even if the table throttles right after it', async () => {
  const lots = Array.from({ length: 99 }, (_, index) => ({ amount: 2, expiresAt: inSeconds(10 + index) }));
  const uuid = await customerWithLots(store(), lots, 5);
  stop = intercept(async ({ operation, input }, send) => {
    if (operation.startsWith('Update') && JSON.stringify(input).includes('#LOT')) throw throttled();
    return send();
  });

  const { status, body } = await post(uuid, 'set-credit', { credit: 3 });
  stop();

  expect([status, body.credit]).toEqual([200, 3]);
  expect((await creditOf(store(), uuid)).faults).toEqual([]);
  await sweepDueLots('sweep');
  const { lots: after, item } = await creditOf(store(), uuid);
  expect([statesOf(after), item.pending]).toEqual([{ superseded: 99 }, undefined]);
});

test('a change that did not reach the table can be sent again', async () => {
  const uuid = await oneLot();
  const before = await wholeTable();
  stop = intercept(async ({ isWrite, input }, send) => {
    if (isWrite && isCredit(input)) throw notSent();
    return send();
  });

  const first = await post(uuid, 'increment-credit', { delta: 3, expiresAt: inSeconds(90) });
  stop();
  const unchanged = await wholeTable();
  const again = await post(uuid, 'increment-credit', { delta: 3, expiresAt: inSeconds(90) });

  expect(outcomeOf(first)).toBe('unknown');
  expect(unchanged).toEqual(before);
  expect(again.body.credit).toBe(18);
});
