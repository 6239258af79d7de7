import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { timestamp } from '../../../lib/clock.ts';
import { type DaySums, dayKey } from '../../../lib/events/days.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { scopes } from '../../../lib/routes/scopes.ts';
import { update } from '../../../lib/table/language.ts';
import { write } from '../../../lib/table/table.ts';
import { startTestQueue } from '../../support/deliveries.ts';
import { intercept } from '../../support/faults.ts';
import { catchUp, keepHistory } from '../../support/history.ts';
import { newResident } from '../../support/residents.ts';
import { type Call, setClock, startTestService } from '../../support/service.ts';

const dayMillis = 86_400_000;
const newYear = Date.parse('2027-01-01T00:00:00.000Z');
let store: string;
let call: Call;

await startTestQueue();
const service = await startTestService();
await keepHistory();

beforeEach(async () => {
  setClock(newYear);
  store = (await createStore('Corner Shop')).id;
  const key = await service.keyWith(scopes, store);
  call = service.callAs(key);
});

const days = async (query = '') => {
  const { status, body } = await call('GET', `/v1/store/days${query}`);
  return status === 200 ? body.data : [status, body.errors];
};

/** Counts in one part of a day's sums, as a consumer does. */
const count = (day: string, part: string, add: DaySums) =>
  write(update({ ...dayKey(store, day), sk: `${day}#${part}` }, { add: add as Record<string, number> }));

const quiet = {
  ...{ sales: 0, refunds: 0, paid: 0, refunded: 0, shares: 0, commissions: 0 },
  ...{ creditAdded: 0, creditRemoved: 0, creditSpent: 0, creditExpired: 0 },
  ...{ giftCardsGranted: 0, giftCardsRedeemed: 0, delivered: 0, failed: 0 },
};

test('200s with the sums of each day on which something happened, and the balances at its end', async () => {
  const { uuid } = await newResident();
  const act = (action: string, body: object) => call('POST', `/v1/customers/${uuid}/actions/${action}`, body);
  setClock(newYear + dayMillis - 1);
  await act('set-credit', { credit: 500 });
  await act('increment-restricted-credit', { delta: 40 });
  await act('increment-credit', { delta: 60, expiresAt: timestamp(newYear + dayMillis) });
  const card = (await act('grant-gift-card', { credit: 300 })).body.id;
  setClock(newYear + dayMillis);
  await act('increment-credit', { delta: -100 });
  await call('POST', `/v1/giftcards/${card}/actions/redeem`, { identifier: uuid });
  setClock(newYear + 3 * dayMillis);
  await act('set-credit', { credit: 10 });
  await catchUp();

  const granted = { ...quiet, creditAdded: 600, giftCardsGranted: 1, credit: 560, restrictedCredit: 40 };
  const redeemed = { ...quiet, creditAdded: 300, creditRemoved: 100, creditExpired: 60, giftCardsRedeemed: 1 };
  expect(await days()).toEqual([
    { day: '2027-01-01', ...granted },
    { day: '2027-01-02', ...redeemed, credit: 700, restrictedCredit: 40 },
    { day: '2027-01-04', ...quiet, creditRemoved: 690, credit: 10, restrictedCredit: 40 },
  ]);
  expect((await service.call('GET', '/v1/store/days')).body).toEqual({ data: [] });
});

test('counts a sale on the day that it was made, its refund on its own, and a refused one never', async () => {
  const { uuid } = await newResident();
  const productId = (await call('POST', '/v1/products', { name: 'Lamp', price: 100 })).body.id;
  const sell = async (paid: number) =>
    (await call('POST', '/v1/sales', { id: randomUUID(), productId, buyerIdentifier: uuid, paid, useCredit: true }))
      .body;
  await call('POST', `/v1/customers/${uuid}/actions/set-credit`, { credit: 30 });
  const first = await sell(75);
  await sell(100);
  await sell(99);
  setClock(newYear + dayMillis);
  for (const _ of [1, 2]) await call('POST', `/v1/sales/${first.id}/actions/refund`);
  await catchUp();

  const sold = { sales: 2, paid: 170, creditAdded: 30, creditSpent: 30 };
  expect(await days()).toEqual([
    { day: '2027-01-01', ...quiet, ...sold, credit: 0, restrictedCredit: 0 },
    {
      ...{ day: '2027-01-02', ...quiet, refunds: 1, refunded: 70, creditSpent: -30, failed: 1 },
      ...{ credit: 30, restrictedCredit: 0 },
    },
  ]);
});

test('counts the sales of a vendor in days of its own too, once though the consumer dies in between', async () => {
  const { uuid } = await newResident();
  const [vendorUuid, other] = [randomUUID(), randomUUID()];
  const productId = (await call('POST', '/v1/products', { name: 'Lamp', price: 100 })).body.id;
  const sell = async (paid: number, fields: object = {}) =>
    (await call('POST', '/v1/sales', { id: randomUUID(), productId, buyerIdentifier: uuid, paid, ...fields })).body;
  const first = await sell(105, { vendorUuid: vendorUuid.toUpperCase() });
  await sell(100, { vendorUuid: null });
  await sell(100, { vendorUuid: other });
  await sell(99, { vendorUuid });
  let failed = 0;
  const stop = intercept(async ({ isWrite, input }, send) => {
    const isVendorDay = isWrite && JSON.stringify(input).includes(dayKey(store, '', vendorUuid).pk);
    if (!isVendorDay || failed++ > 0) return send();
    throw Object.assign(new Error('The consumer dies.'), { $fault: 'client' });
  });
  await expect(catchUp()).rejects.toThrow();
  const before = await days(`?vendor=${other}`);
  await catchUp().finally(stop);
  setClock(newYear + dayMillis);
  await call('POST', `/v1/sales/${first.id}/actions/refund`);
  await catchUp();

  const others = { shares: 0, commissions: 0 };
  const sold = { day: '2027-01-01', sales: 1, refunds: 0, paid: 100, refunded: 0, ...others };
  const refunded = { day: '2027-01-02', sales: 0, refunds: 1, paid: 0, refunded: 100, ...others };
  expect([failed, before]).toEqual([2, []]);
  expect((await days()).map(({ sales, paid }: DaySums) => [sales, paid])).toEqual([
    [3, 300],
    [0, 0],
  ]);
  expect(await days(`?vendor=${vendorUuid}`)).toEqual([sold, refunded]);
  expect(await days(`?vendor=${vendorUuid}&from=2027-01-02&to=2027-01-02`)).toEqual([refunded]);
  expect(await days(`?vendor=${other}`)).toEqual([sold]);
  expect(await days(`?vendor=${randomUUID()}`)).toEqual([]);
  expect(await days('?vendor=here')).toEqual([400, ['vendor must be the UUID of an object.']]);
});

test('counts what goes to others of a sale, by its kind, on its day, and takes it back on the day of its refund', async () => {
  const [maker, partner, owner, buyer] = await Promise.all([1, 2, 3, 4].map(() => newResident()));
  const vendorUuid = randomUUID();
  const profitShares = [
    { userUuid: maker?.uuid, percent: 40 },
    { userUuid: partner?.uuid, percent: 20 },
  ];
  const productId = (await call('POST', '/v1/products', { name: 'Bench', price: 680, profitShares })).body.id;
  const coupon = { code: 'five', ownerIdentifier: owner?.uuid, ownerProfit: 5 };
  const couponId = (await call('POST', '/v1/coupons', coupon)).body.id;
  const inStore = { couponId, scope: 0, expiresInHours: 1 };
  await call('POST', `/v1/customers/${buyer?.uuid}/actions/apply-coupon`, inStore);
  const body = { id: randomUUID(), productId, buyerIdentifier: buyer?.uuid, paid: 700, vendorUuid };
  await call('POST', '/v1/sales', body);
  // Without anybody else's part it adds nothing to these sums.
  const own = (await call('POST', '/v1/products', { name: 'Lamp', price: 300 })).body.id;
  await call('POST', '/v1/sales', { ...body, id: randomUUID(), productId: own, buyerIdentifier: maker?.uuid });
  setClock(newYear + dayMillis);
  await call('POST', `/v1/sales/${body.id}/actions/refund`);
  await catchUp();

  const sold = { sales: 2, paid: 980, refunds: 0, refunded: 0, shares: 408, commissions: 34 };
  const refunded = { sales: 0, paid: 0, refunds: 1, refunded: 680, shares: -408, commissions: -34 };
  expect(await days()).toMatchObject([sold, refunded]);
  expect(await days(`?vendor=${vendorUuid}`)).toMatchObject([sold, refunded]);
});

test('a day is the sum of its parts, and its balances those of all days before it', async () => {
  await count('2026-12-30', '03', { creditAdded: 7, regularNet: 7, restrictedNet: 2 });
  await count('2026-12-31', '00', { delivered: 1, sales: 2, paid: 50, creditSpent: 5, regularNet: -5 });
  await count('2026-12-31', '15', { delivered: 2, failed: 1, restrictedNet: 3 });
  await count('2027-01-01', '15', { refunds: 1, refunded: 20 });

  const last = { ...quiet, refunds: 1, refunded: 20, credit: 2, restrictedCredit: 5 };
  const before = { ...quiet, delivered: 3, failed: 1, sales: 2, paid: 50, creditSpent: 5 };
  const [middle, end] = [
    { day: '2026-12-31', ...before, credit: 2, restrictedCredit: 5 },
    { day: '2027-01-01', ...last },
  ];
  expect(await days('?from=2026-12-31')).toEqual([middle, end]);
  expect(await days('?from=2026-12-31&to=2026-12-31')).toEqual([middle]);
  expect(await days('?to=2026-12-29')).toEqual([]);
});

test('answers the last 30 days, or the 30 up to the last one', async () => {
  for (const day of ['2026-12-02', '2026-12-03', '2027-01-01', '2027-01-02']) await count(day, '00', { failed: 1 });
  const named = async (query: string) => (await days(query)).map(({ day }: { day: string }) => day);

  expect(await named('')).toEqual(['2026-12-03', '2027-01-01']);
  expect(await named('?to=2026-12-31')).toEqual(['2026-12-02', '2026-12-03']);
  expect(await named('?from=2027-01-01&to=2028-01-01')).toEqual(['2027-01-01', '2027-01-02']);
});

const dateFault = (name: string): string => `${name} must be a date such as 2030-01-31.`;
const spanFault = 'from and to must span at most 366 days.';
test.each([
  ['?from=2027-02-30&to=tomorrow', [dateFault('from'), dateFault('to')]],
  ['?from=2026-1-1', [dateFault('from')]],
  ['?to=2026-01-01T00:00:00Z', [dateFault('to')]],
  ['?to=', [dateFault('to')]],
  ['?from=2027-01-02', ['from must not be after to, which is 2027-01-01.']],
  ['?from=2026-05-02&to=2026-05-01', ['from must not be after to, which is 2026-05-01.']],
  ['?from=2025-12-31', [spanFault]],
  ['?from=2024-01-01&to=2025-01-01', [spanFault]],
])('400s for %s', async (query, errors) => {
  expect(await days(query)).toEqual([400, errors]);
});

test('takes 366 days', async () => {
  expect(await days('?from=2024-01-01&to=2024-12-31')).toEqual([]);
  expect(await days('?from=2026-01-01')).toEqual([]);
  expect(await days('?to=0000-01-01')).toEqual([]);
  expect(await days('?to=9999-12-31')).toEqual([]);
});
