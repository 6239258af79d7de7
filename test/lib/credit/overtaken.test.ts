import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { source, timestamp } from '../../../lib/clock.ts';
import { changeCredit } from '../../../lib/credit/change.ts';
import { dueShards } from '../../../lib/credit/state.ts';
import { sweepDueLots } from '../../../lib/credit/sweep.ts';
import { creditOf, customerWithLots, newCustomer } from '../../support/credit-seed.ts';
import { conflict, intercept, type Send, type TableCall } from '../../support/faults.ts';
import { setClock, startTestService } from '../../support/service.ts';

/** Another request overtakes: it changes an item after the first one has read it, or before its write arrives. */

const start = Date.parse('2028-02-29T12:00:00.000Z');
const inSeconds = (seconds: number): string => timestamp(start + seconds * 1000);
const limit = 1_000_000_000;

let service: Awaited<ReturnType<typeof startTestService>>;
let stop = () => {};
beforeAll(async () => {
  service = await startTestService();
  // Without jitter, retries do not wait.
  source.random = () => 0;
});
beforeEach(() => setClock(start));
afterEach(() => stop());

const about = (text: string) => (call: TableCall) => call.isWrite && JSON.stringify(call.input).includes(text);

/** Records the first call that `isIt`, so that a test can send it again. */
const keep = (isIt: (call: TableCall) => boolean): { send?: Send } => {
  const kept: { send?: Send } = {};
  stop = intercept(async (call, send) => {
    if (isIt(call)) kept.send ??= send;
    return send();
  });
  return kept;
};

/** Runs `work` once, right before the first call that `isIt` accepts. */
const before = (isIt: (call: TableCall) => boolean, work: () => Promise<unknown>): void => {
  let done = false;
  stop = intercept(async (call, send) => {
    if (!done && isIt(call)) {
      done = true;
      await work();
    }
    return send();
  });
};

const readsLots = ({ operation, input }: TableCall): boolean =>
  operation === 'Query' && JSON.stringify(input.ExpressionAttributeValues).includes('#LOT#');

test('a late copy of a request’s first write does not open its record again', async () => {
  const uuid = await newCustomer();
  const first = keep(about('leaseUntil'));
  const increment = () =>
    service.call(
      'POST',
      `/v1/customers/${uuid}/actions/increment-credit`,
      { delta: 10 },
      { 'Idempotency-Key': 'increment' },
    );

  const original = await increment();
  await first.send?.().catch(() => undefined);
  const repeated = await increment();

  expect([original.status, repeated.status]).toEqual([200, 200]);
  expect(repeated.headers.get('idempotent-replayed')).toBe('true');
  expect((await creditOf(service.store, uuid)).item.credit).toBe(10);
});

test('no change is refused because due lots would exceed the credit limit', async () => {
  const lots = [
    { amount: 100, expiresAt: inSeconds(10) },
    { amount: 50, expiresAt: inSeconds(9999) },
  ];
  const uuid = await customerWithLots(service.store, lots.slice(0, 1), limit - 100);
  setClock(start + 10_000);
  before(readsLots, () => sweepDueLots('sweep'));

  const command = { kind: 'increment', delta: 10, expiresAt: inSeconds(9999) } as const;
  const { credit } = await changeCredit(service.store, { uuid }, 'regular', command, { by: 'test' });

  expect(credit).toBe(limit - 90);
});

test('the rest of a large change is written although other writers are at some of its lots', async () => {
  const lots = Array.from({ length: 120 }, (_, index) => ({ amount: 1, expiresAt: inSeconds(100 + index) }));
  const uuid = await customerWithLots(service.store, lots);
  const held = new Set<string>();
  stop = intercept(async (call, send) => {
    const key = JSON.stringify(call.input.Key);
    if (call.operation !== 'UpdateItem' || held.has(key)) return send();
    held.add(key);
    throw conflict(call);
  });

  await changeCredit(service.store, { uuid }, 'regular', { kind: 'set', credit: 7 }, { by: randomUUID() });

  const { item, faults } = await creditOf(service.store, uuid);
  expect([item.credit, item.pending, faults]).toEqual([7, undefined, []]);
});

test('a sweep that ends early does not start with the same customers each time', async () => {
  const firsts: string[] = [];
  for (const place of [0, 0.99]) {
    source.random = () => place;
    const shards: string[] = [];
    stop = intercept(async (call, send) => {
      if (call.input.IndexName === 'byDue') shards.push(call.input.ExpressionAttributeValues[':v0'].S);
      return send();
    });
    await sweepDueLots('sweep');
    stop();
    firsts.push(shards[0] ?? '');
    expect(new Set(shards).size).toBe(dueShards.length);
  }
  source.random = () => 0;

  expect(new Set(firsts).size).toBe(2);
});

test('the answer that a request with a key gets has the balance that another request has made meanwhile, the first of this type', async () => {
  const uuid = await newCustomer();
  await service.call('POST', `/v1/customers/${uuid}/actions/ban`);
  before(about('TransactItems'), () =>
    service.call('POST', `/v1/customers/${uuid}/actions/increment-credit`, { delta: 3 }),
  );

  const set = await service.call(
    'POST',
    `/v1/customers/${uuid}/actions/set-restricted-credit`,
    { credit: 300 },
    { 'Idempotency-Key': 'set' },
  );

  expect(set.body).toMatchObject({ credit: 3, restrictedCredit: 300 });
});
