import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { handler as worker } from '../../../functions/delivery-worker.ts';
import { recordPurchase } from '../../../lib/avatars/spend.ts';
import { findCouponUses } from '../../../lib/catalogue/coupon-uses.ts';
import { createCoupon } from '../../../lib/catalogue/coupons.ts';
import { timestamp } from '../../../lib/clock.ts';
import type { CreditLot } from '../../../lib/credit/lot.ts';
import { claimDelivery, completeDelivery, letWait } from '../../../lib/delivery/deliveries.ts';
import { encodeMessage } from '../../../lib/delivery/message.ts';
import { findSale } from '../../../lib/sale/sales.ts';
import { orderOf } from '../../../lib/sale/unsent.ts';
import { ownedKey } from '../../../lib/table/keys.ts';
import { get as itemOf, updateExisting } from '../../../lib/table/table.ts';
import { creditOf, customerWithLots, newCustomer, statesOf } from '../../support/credit-seed.ts';
import { batchOf, contextWith, startTestQueue } from '../../support/deliveries.ts';
import { intercept } from '../../support/faults.ts';
import { expectHistory, keepHistory } from '../../support/history.ts';
import { ada, bob, seedResidents, unknownUuid } from '../../support/residents.ts';
import { setClock, startTestService, wholeTable } from '../../support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
const start = Date.parse('2028-02-29T12:00:00.000Z');
const inSeconds = (seconds: number): string => timestamp(start + seconds * 1000);

beforeAll(async () => {
  setClock(start);
  await startTestQueue();
  service = await startTestService();
  await keepHistory();
  await seedResidents();
});
beforeEach(() => setClock(start));

const sell = async (body: object) => (await service.call('POST', '/v1/sales', { id: randomUUID(), ...body })).body;
const refund = (id: string, body?: object, headers = {}) =>
  service.call('POST', `/v1/sales/${id}/actions/refund`, body, headers);
const get = async (path: string) => (await service.call('GET', path)).body;
const create = async (fields: object = {}): Promise<string> =>
  (await service.call('POST', '/v1/products', { name: 'Lamp', price: 100, ...fields })).body.id;
const act = (uuid: string, action: string, body?: object) =>
  service.call('POST', `/v1/customers/${uuid}/actions/${action}`, body);
const storedCredit = (uuid: string) => creditOf(service.store, uuid);

test('200s with the sale as refunded; stock, coupon use, ownership and spend on its day go back', async () => {
  const [uuid, productId] = [await newCustomer(), await create({ limited: true, availableAmount: 3 })];
  const fields = { code: randomUUID(), discount: 20, ownerProfit: 0, active: true, bloggersSync: false };
  const coupon = await createCoupon(service.store, ada, fields, { usesPerCustomer: 1 });
  await act(uuid, 'apply-coupon', { couponId: coupon.id, scope: 0 });
  const sale = await sell({ productId, buyerIdentifier: uuid, paid: 87 });
  setClock(start + 86_400_000);
  await act(uuid, 'apply-coupon', { couponId: coupon.id, scope: 0 });

  const { status, body } = await refund(sale.id, { reason: 'Bought twice', reference: 'T 12' });

  expect([status, body]).toEqual([
    200,
    { ...sale, state: 'refunded', refund: 87, change: 7, refundedAt: inSeconds(86_400), refundReference: 'T 12' },
  ]);
  expect(await get(`/v1/sales/${sale.id}`)).toEqual(body);
  expect((await get('/v1/sales?state=refunded')).data).toEqual([body]);
  expect((await get(`/v1/sales?state=completed&product=${productId}`)).data).toEqual([]);
  expect((await get(`/v1/products/${productId}`)).availableAmount).toBe(3);
  expect((await findCouponUses(service.store, uuid, coupon.id))?.uses).toBe(0);
  expect(await get(`/v1/customers/${uuid}/spend`)).toMatchObject({ sum: 0, lastYearSum: 0, totalOwned: 0 });
  expect((await get(`/v1/customers/${uuid}/products`)).data).toEqual([]);
  expect((await get('/v1/customers?spentMoreThan=0')).data).not.toContainEqual(expect.objectContaining({ uuid }));
  expect((await sell({ productId, buyerIdentifier: uuid, paid: 80 })).discount.couponId).toBe(coupon.id);
});

test('leaves other purchases of the product, and a day’s other spend', async () => {
  const [buyer, recipient, productId] = [await newCustomer(), await newCustomer(), await create()];
  const asked = { productId, buyerIdentifier: buyer, recipientIdentifier: recipient, paid: 100 };
  const [first] = [await sell(asked), await sell(asked)];
  const resident = { uuid: buyer, username: 'x' };
  await recordPurchase(service.store, { id: randomUUID(), buyer: resident, productId, price: 30, at: inSeconds(0) });

  await refund(first.id);

  expect(await get(`/v1/customers/${buyer}/spend`)).toMatchObject({ sum: 130, lastYearSum: 130, totalOwned: 1 });
  expect(await get(`/v1/customers/${recipient}/spend`)).toMatchObject({ sum: 0, totalOwned: 1 });
  expect((await get(`/v1/customers/${recipient}/products`)).data).toMatchObject([{ productId, quantity: 1 }]);
});

test('a gift goes back: the product from the recipient, the spend from the buyer', async () => {
  const [buyer, recipient, productId] = [await newCustomer(), await newCustomer(), await create()];
  const sale = await sell({ productId, buyerIdentifier: buyer, recipientIdentifier: recipient, paid: 100 });

  await refund(sale.id);

  expect(await get(`/v1/customers/${buyer}/spend`)).toMatchObject({ sum: 0, totalOwned: 0 });
  expect(await get(`/v1/customers/${recipient}/spend`)).toMatchObject({ sum: 0, totalOwned: 0 });
  expect(await itemOf(ownedKey(service.store, recipient, productId))).toBeUndefined();
});

test('no stock goes back where the product is not limited any more', async () => {
  const productId = await create({ limited: true, availableAmount: 3 });
  const sale = await sell({ productId, buyerIdentifier: bob.uuid, paid: 100 });
  await service.call('PUT', `/v1/products/${productId}`, { name: 'Lamp', price: 100, availableAmount: 7 });

  await refund(sale.id);

  expect((await get(`/v1/products/${productId}`)).availableAmount).toBe(7);
});

test('a copy goes back where the product is limited by now, though it was not when it was sold', async () => {
  const productId = await create({ availableAmount: 3 });
  const sale = await sell({ productId, buyerIdentifier: bob.uuid, paid: 100 });
  await service.call('PUT', `/v1/products/${productId}`, {
    ...{ name: 'Lamp', price: 100 },
    ...{ limited: true, availableAmount: 7 },
  });

  await refund(sale.id);

  expect((await get(`/v1/products/${productId}`)).availableAmount).toBe(8);
});

describe('credit', () => {
  test('of both types comes back as it was, in one change, the regular one last', async () => {
    const [uuid, productId] = [await newCustomer(), await create({ price: 45 })];
    await act(uuid, 'increment-restricted-credit', { delta: 15 });
    await act(uuid, 'increment-restricted-credit', { delta: 5, expiresAt: inSeconds(60) });
    await act(uuid, 'increment-credit', { delta: 20 });
    await act(uuid, 'increment-credit', { delta: 10, expiresAt: inSeconds(90) });
    const before = (await storedCredit(uuid)).item;
    const sale = await sell({ productId, buyerIdentifier: uuid, paid: 0, useCredit: true });

    const { body } = await refund(sale.id, { reason: 'Broken', reference: 'T 1' });

    expect(body).toMatchObject({ state: 'refunded', credit: 25, restrictedCredit: 20, refund: 0 });
    const { item, lots, faults } = await storedCredit(uuid);
    const held = ['credit', 'creditUnlotted', 'creditLots', 'creditDue', 'restrictedCredit', 'restrictedUnlotted'];
    expect([Object.fromEntries(held.map((name) => [name, item[name as 'credit']])), faults]).toEqual([
      Object.fromEntries(held.map((name) => [name, before[name as 'credit']])),
      [],
    ]);
    expect([item.restrictedDue, statesOf(lots)]).toEqual([inSeconds(60), { drained: 2, open: 2 }]);
    await expectHistory();
    const { data } = await get(`/v1/customers/${uuid}/credit/history?limit=2`);
    const change = { kind: 'refund', saleId: sale.id, reason: 'Broken', reference: 'T 1', expired: 0 };
    expect(data).toMatchObject([
      {
        ...change,
        sequence: 8,
        type: 'regular',
        amount: 25,
        lots: [{ amount: 10, expiresAt: inSeconds(90) }, { amount: 15 }],
      },
      {
        ...change,
        sequence: 7,
        type: 'restricted',
        amount: 20,
        lots: [{ amount: 5, expiresAt: inSeconds(60) }, { amount: 15 }],
      },
    ]);
  });

  test('that is due by now comes back and expires in the same change, as do other due lots', async () => {
    const [uuid, productId] = [await newCustomer(), await create({ price: 20 })];
    for (const seconds of [60, 90, 120, 150])
      await act(uuid, 'increment-credit', { delta: 6, expiresAt: inSeconds(seconds) });
    const sale = await sell({ productId, buyerIdentifier: uuid, paid: 0, useCredit: true });
    await act(uuid, 'increment-credit', { delta: 7, expiresAt: inSeconds(80) });
    setClock(start + 90_000);

    const { body } = await refund(sale.id);

    expect(body).toMatchObject({ state: 'refunded', credit: 20 });
    const { item, faults } = await storedCredit(uuid);
    // Of 20 that come back, 12 are due, as is the lot of 7; 4 were left in the last lot.
    expect([item.credit, item.creditLots, item.creditDue, faults]).toEqual([12, 3, inSeconds(120), []]);
    await expectHistory();
    const { data } = await get(`/v1/customers/${uuid}/credit/history?limit=1`);
    expect(data).toMatchObject([{ kind: 'refund', amount: 20, expired: 19, credit: 12 }]);
  });

  test('is never refused for the credit limit', async () => {
    const [uuid, productId] = [await newCustomer(), await create({ price: 50 })];
    await act(uuid, 'set-credit', { credit: 50 });
    const sale = await sell({ productId, buyerIdentifier: uuid, paid: 0, useCredit: true });
    await act(uuid, 'set-credit', { credit: 1_000_000_000 });

    expect((await refund(sale.id)).body.state).toBe('refunded');

    expect((await storedCredit(uuid)).item.credit).toBe(1_000_000_050);
  });

  test('of more lots than a transaction holds, of both types, comes back in 40 lots of each at the most', async () => {
    const lots = Array.from({ length: 120 }, (_, number) => ({ amount: 2, expiresAt: inSeconds(100 + number) }));
    const [uuid, productId] = [await customerWithLots(service.store, lots, 30), await create({ price: 350 })];
    for (let number = 0; number < 45; number++)
      await act(uuid, 'increment-restricted-credit', { delta: 2, expiresAt: inSeconds(100 + number) });
    const sale = await sell({ productId, buyerIdentifier: uuid, paid: 0, useCredit: true });
    const sold = await storedCredit(uuid);
    // Together with these, which are due, it is more than a transaction holds again.
    for (let number = 0; number < 25; number++)
      await act(uuid, 'increment-credit', { delta: 1, expiresAt: inSeconds(50) });
    setClock(start + 60_000);

    const { body } = await refund(sale.id);

    expect([sale.restrictedCredit, sale.credit, sold.item.pending, sold.faults]).toEqual([90, 260, undefined, []]);
    expect(statesOf(sold.lots)).toEqual({ drained: 165 });
    expect(body.state).toBe('refunded');
    const { item, faults } = await storedCredit(uuid);
    expect([item.credit, item.creditUnlotted, item.creditLots]).toEqual([270, 30, 40]);
    expect([item.restrictedCredit, item.restrictedLots, faults]).toEqual([90, 40, []]);
    // Of joined neighbours the later time counts: nothing expires earlier than before.
    expect(item.creditDue && item.creditDue >= inSeconds(100)).toBe(true);
    await expectHistory();
    // A drain right after it must see every lot that came back.
    await act(uuid, 'increment-credit', { delta: -200 });
    expect((await storedCredit(uuid)).faults).toEqual([]);
  });

  test('is drained in the order of its lots by a change that first sees them in part', async () => {
    const [uuid, productId] = [await newCustomer(), await create({ price: 22 })];
    for (const [seconds, delta] of [
      [60, 5],
      [90, 10],
      [100, 7],
      [200, 50],
    ] as const)
      await act(uuid, 'increment-credit', { delta, expiresAt: inSeconds(seconds) });
    await refund((await sell({ productId, buyerIdentifier: uuid, paid: 0, useCredit: true })).id);
    let hidden = 0;
    // A query may see the items of a transaction one by one.
    const stop = intercept(async ({ operation, input }, send) => {
      const answer = await send();
      if (operation !== 'Query' || hidden > 0 || !JSON.stringify(input).includes(`#LOT#${uuid}`)) return answer;
      const isLate = ({ sk, state }: CreditLot): boolean => state === 'open' && sk.includes(inSeconds(90));
      hidden += answer.output.Items.filter(isLate).length;
      answer.output.Items = answer.output.Items.filter((lot: CreditLot) => !isLate(lot));
      return answer;
    });

    await act(uuid, 'increment-credit', { delta: -12 }).finally(stop);

    const { item, lots, faults } = await storedCredit(uuid);
    expect([hidden, item.credit, faults]).toEqual([1, 60, []]);
    const open = lots.filter(({ state }) => state === 'open').map(({ expiresAt, remaining }) => [expiresAt, remaining]);
    expect(open).toEqual([
      [inSeconds(90), 3],
      [inSeconds(100), 7],
      [inSeconds(200), 50],
    ]);
  });

  test('comes back beside more due lots than a transaction holds', async () => {
    const uuid = await customerWithLots(service.store, [{ amount: 5, expiresAt: inSeconds(500) }]);
    const sale = await sell({ productId: await create({ price: 5 }), buyerIdentifier: uuid, paid: 0, useCredit: true });
    for (let number = 0; number < 100; number++)
      await act(uuid, 'increment-credit', { delta: 1, expiresAt: inSeconds(50) });
    setClock(start + 60_000);

    await refund(sale.id);

    const { item, lots, faults } = await storedCredit(uuid);
    expect([item.credit, item.creditDue, item.pending, faults]).toEqual([5, inSeconds(500), undefined, []]);
    expect(statesOf(lots)).toEqual({ drained: 1, expired: 100, open: 1 });
    await expectHistory();
  });

  test('32 refunds at once with a sweep of the same lots bring it back once', async () => {
    const [uuid, productId] = [await newCustomer(), await create({ price: 10 })];
    await act(uuid, 'increment-credit', { delta: 12, expiresAt: inSeconds(60) });
    const sale = await sell({ productId, buyerIdentifier: uuid, paid: 0, useCredit: true });
    setClock(start + 60_000);

    const answers = await Promise.all([
      act(uuid, 'increment-credit', { delta: 1 }),
      ...Array.from({ length: 32 }, (_, number) => refund(sale.id, { reference: `T ${number}` })),
    ]);

    const refunds = answers.slice(1).map(({ status, body }) => [status, body.refundReference]);
    expect(new Set(refunds.map((one) => JSON.stringify(one)))).toHaveLength(1);
    const { item, faults } = await storedCredit(uuid);
    expect([item.credit, item.creditLots, faults]).toEqual([1, 0, []]);
    await expectHistory();
    const { data } = await get(`/v1/customers/${uuid}/credit/history`);
    expect(data.filter(({ kind }: { kind: string }) => kind === 'refund')).toHaveLength(1);
  });
});

test('a refund that saw the sale before what was bought with it looks again', async () => {
  const [uuid, productId] = [await newCustomer(), await create()];
  const { id } = await sell({ productId, buyerIdentifier: uuid, paid: 100 });
  const hidden: string[] = [];
  const stop = intercept(async ({ operation, input }, send) => {
    const answer = await send();
    const [, kind = ''] = /#(OWNED|SPEND)/.exec(JSON.stringify(input.Key ?? {})) ?? [];
    if (operation !== 'GetItem' || kind === '' || hidden.includes(kind)) return answer;
    hidden.push(kind);
    return { ...answer, output: { ...answer.output, Item: undefined } };
  });

  await refund(id).finally(stop);

  expect(hidden.sort()).toEqual(['OWNED', 'SPEND']);
  expect(await get(`/v1/customers/${uuid}/spend`)).toMatchObject({ sum: 0, totalOwned: 0 });
  expect((await get(`/v1/customers/${uuid}/products`)).data).toEqual([]);
});

test('a refunded sale answers the same again, with the first refundReference, and sold once under its id for ever', async () => {
  const asked = { id: randomUUID(), productId: await create(), buyerIdentifier: await newCustomer(), paid: 100 };
  await sell(asked);
  const first = await refund(asked.id, { reference: 'T 1' });
  const before = await wholeTable();

  const again = [await refund(asked.id, { reference: 'T 2' }), await refund(asked.id.toUpperCase())];
  const sold = await sell(asked);

  expect(again.map(({ status, body }) => [status, body])).toEqual([
    [200, first.body],
    [200, first.body],
  ]);
  expect(sold).toEqual(first.body);
  expect(await wholeTable()).toEqual(before);
});

test('an Idempotency-Key gives the same answer again', async () => {
  const sale = await sell({ productId: await create(), buyerIdentifier: await newCustomer(), paid: 100 });
  const headers = { 'Idempotency-Key': randomUUID() };

  const [first, again] = [await refund(sale.id, {}, headers), await refund(sale.id, {}, headers)];

  expect([again.status, again.body]).toEqual([200, first.body]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
});

test('400s for a refused sale and an id that is none, 404s for an unknown one', async () => {
  const refused = await sell({ productId: await create(), buyerIdentifier: bob.uuid, paid: 99 });
  const before = await wholeTable();

  const statuses = [];
  for (const id of [refused.id, 'sale', unknownUuid]) statuses.push((await refund(id)).status);

  expect(statuses).toEqual([400, 400, 404]);
  expect(await wholeTable()).toEqual(before);
});

describe('the delivery', () => {
  const sold = async () => {
    const sale = await sell({ productId: await create(), buyerIdentifier: bob.uuid, paid: 100 });
    const stored = await findSale(service.store, sale.id);
    if (!stored) throw new Error('There is no such sale.');
    return { sale, order: orderOf(stored), path: `/v1/deliveries/${sale.deliveryId}` };
  };
  const failed = { state: 'failed', lastError: 'refunded', endedAt: inSeconds(0) };

  test('that no worker has begun fails as refunded, and its message makes no attempt', async () => {
    const { sale, order, path } = await sold();

    await refund(sale.id);

    expect(await get(path)).toMatchObject({ ...failed, attempts: 0, saleId: sale.id });
    await worker(batchOf(encodeMessage(order)), contextWith(60_000));
    expect(await get(path)).toMatchObject({ ...failed, attempts: 0 });
    expect((await service.call('POST', `${path}/actions/retry`)).status).toBe(400);
  });

  test('that waits or is between attempts fails as refunded', async () => {
    for (const waits of [true, false]) {
      const { sale, order, path } = await sold();
      const { delivery } = await claimDelivery(order, 0);
      if (waits) await letWait(delivery, 'No answer.');

      await refund(sale.id);

      expect(await get(path)).toMatchObject(failed);
    }
  });

  test('that is under way may still be given; one that was made stays made', async () => {
    for (const isMade of [true, false]) {
      const { sale, order, path } = await sold();
      const { delivery } = await claimDelivery(order, 60_000);
      if (isMade) await completeDelivery(delivery);

      await refund(sale.id);

      expect((await get(path)).state).toBe(isMade ? 'delivered' : 'failed');
      await completeDelivery(delivery);
      expect(await get(path)).toMatchObject({ state: 'delivered', lastError: null });
    }
  });

  test('that was tried again at the same moment is looked at first, and not given', async () => {
    const { sale, order, path } = await sold();
    await refund(sale.id);
    // As a retry would leave it that read the sale before the refund.

    const key = { pk: `${service.store}#DELIVERY`, sk: order.id };
    await updateExisting(key, { set: { state: 'queued', failedAt: undefined, lastError: undefined } });

    await worker(batchOf(encodeMessage(order)), contextWith(60_000));

    expect(await get(path)).toMatchObject({ ...failed, attempts: 1 });
  });

  test('has no record where it was made so long ago that its record is gone', async () => {
    const { sale, path } = await sold();
    setClock(start + 14 * 86_400_000);

    await refund(sale.id);

    expect((await service.call('GET', path)).status).toBe(404);
  });
});
