import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { findCouponUses } from '../../../lib/catalogue/coupon-uses.ts';
import { createCoupon } from '../../../lib/catalogue/coupons.ts';
import { timestamp } from '../../../lib/clock.ts';
import { findSale } from '../../../lib/sale/sales.ts';
import { newCustomer } from '../../support/credit-seed.ts';
import { received, startTestQueue } from '../../support/deliveries.ts';
import { catchUp, keepHistory } from '../../support/history.ts';
import { ada, seedResidents, unknownUuid } from '../../support/residents.ts';
import { setClock, startTestService } from '../../support/service.ts';

let queueUrl: string;
const start = Date.parse('2028-02-29T12:00:00.000Z');
const texture = randomUUID();

setClock(start);
({ url: queueUrl } = await startTestQueue());
const service = await startTestService();
await keepHistory();
await seedResidents();
beforeEach(() => setClock(start));

const call = (...request: Parameters<typeof service.call>) => service.call(...request);
const create = async (fields: object = {}): Promise<string> =>
  (await call('POST', '/v1/products', { name: 'Voucher', price: 100, ...fields })).body.id;
const putCard = (id: string, body: object) => call('PUT', `/v1/products/${id}/giftcard`, body);
const getCard = async (id: string) => (await call('GET', `/v1/products/${id}/giftcard`)).body;
const act = (uuid: string, action: string, body?: object) =>
  call('POST', `/v1/customers/${uuid}/actions/${action}`, body);
const sell = async (body: object) => (await call('POST', '/v1/sales', { id: randomUUID(), ...body })).body;
const refund = (id: string) => call('POST', `/v1/sales/${id}/actions/refund`);
const cardsOf = async (uuid: string) => (await call('GET', `/v1/customers/${uuid}/giftcards`)).body.data;

/** A product that sells cards of L$ 120. */
const voucher = async (fields: object = {}): Promise<string> => {
  const id = await create(fields);
  expect((await putCard(id, { credit: 120, texture })).status).toBe(200);
  return id;
};

describe('the gift card of a product', () => {
  test('is none until it is set, is replaced as a whole, and ends with 0', async () => {
    const id = await create();

    const before = await getCard(id);
    const first = await putCard(id, { credit: 500, texture: texture.toUpperCase() });
    const whole = await getCard(id);
    const second = (await putCard(id, { credit: 7 })).body;
    const ended = (await putCard(id, { credit: 0 })).body;

    expect(before).toEqual({ credit: 0, texture: null });
    expect([first.status, first.body, whole]).toEqual([200, { credit: 500, texture }, { credit: 500, texture }]);
    expect(second).toEqual({ credit: 7, texture: null });
    expect([ended, await getCard(id)]).toEqual([
      { credit: 0, texture: null },
      { credit: 0, texture: null },
    ]);
  });

  test('stays with a PUT of the product, of which no answer and no ETag has it', async () => {
    const id = await create();
    const before = await call('GET', `/v1/products/${id}`);
    await putCard(id, { credit: 500 });
    const after = await call('GET', `/v1/products/${id}`);
    await call('PUT', `/v1/products/${id}`, { name: 'Voucher', price: 90, listed: false });

    expect([after.body, after.headers.get('etag')]).toEqual([before.body, before.headers.get('etag')]);
    expect(await getCard(id)).toEqual({ credit: 500, texture: null });
  });

  test.each([
    [{}, 'credit is required: it must be a whole number from 0 to 2147483647.'],
    [{ credit: -1 }, 'credit must be a whole number from 0 to 2147483647.'],
    [{ credit: 1.5 }, 'credit must be a whole number from 0 to 2147483647.'],
    [{ credit: null }, 'credit must be a whole number from 0 to 2147483647.'],
    [{ credit: 5, texture: 'red' }, 'texture must be a UUID.'],
  ])('400s for %j, and 404s for a product that is not there', async (body, message) => {
    const id = await create();

    const answer = await putCard(id, body);

    expect([answer.status, answer.body.errors]).toEqual([400, [message]]);
    expect((await putCard(unknownUuid, { credit: 5 })).status).toBe(404);
    expect((await call('GET', `/v1/products/${unknownUuid}/giftcard`)).status).toBe(404);
  });
});

describe('the sale of a card', () => {
  test('makes it for the recipient, who owns the product, and no answer has its id', async () => {
    const [buyer, recipient, productId] = [await newCustomer(), await newCustomer(), await voucher()];

    const sale = await sell({ productId, buyerIdentifier: buyer, recipientIdentifier: recipient, paid: 100 });

    const [card, ...others] = await cardsOf(recipient);
    expect([sale.state, others, await cardsOf(buyer)]).toEqual(['completed', [], []]);
    expect(card).toMatchObject({ ownerUuid: recipient, credit: 120, active: true, redeemed: false });
    expect(card).toMatchObject({ transfer: false, texture, purchased: true });
    expect(JSON.stringify([sale, (await call('GET', `/v1/sales/${sale.id}`)).body])).not.toContain(card.id);
    expect(await findSale(service.store, sale.id)).toMatchObject({ item: 'Voucher', giftCardId: card.id });
  });

  test('is for L$ alone: no percentage, coupon, credit or bonus counts', async () => {
    await call('PUT', '/v1/store/rules', {
      groupDiscount: 50,
      tiers: [{ from: 1, percent: 60 }],
      bonus: { percent: 10, groupPercent: 20 },
    });
    const [uuid, productId] = [await newCustomer(), await voucher({ discount: { value: 10, type: 0 } })];
    await sell({ productId: await create({ name: 'Chair' }), buyerIdentifier: uuid, paid: 100 });
    const fields = { code: randomUUID(), discount: 90, ownerProfit: 20, active: true, bloggersSync: false };
    const { id: couponId } = await createCoupon(service.store, ada, fields, { usesPerCustomer: 1 });
    await act(uuid, 'apply-coupon', { couponId, scope: 0 });
    await call('PUT', `/v1/customers/${uuid}`, { discount: 70 });
    await act(uuid, 'set-credit', { credit: 500 });
    const before = (await call('GET', `/v1/customers/${uuid}/credit`)).body;
    const asked = { productId, buyerIdentifier: uuid, useCredit: true, inGroup: true };

    const quoted = (await call('POST', '/v1/quotes', asked)).body;
    const sales = [await sell({ ...asked, paid: 90 }), await sell({ ...asked, paid: 90, quote: quoted.quote })];
    await call('PUT', '/v1/store/rules', {});

    const plain = { base: 90, total: 90, credit: 0, restrictedCredit: 0, bonus: 0 };
    expect(quoted).toMatchObject({ ...plain, toPay: 90, refusal: null });
    for (const sale of sales)
      expect(sale).toMatchObject({
        ...plain,
        state: 'completed',
        shares: [],
        discount: { source: 'none', percent: 0 },
      });
    expect((await call('GET', `/v1/customers/${uuid}/credit`)).body).toEqual(before);
    expect(await findCouponUses(service.store, uuid, couponId)).toBeUndefined();
    expect(await cardsOf(uuid)).toHaveLength(2);
  });

  test('takes no quote from before the product sold cards of so many L$, and none from when it did', async () => {
    const [uuid, productId] = [await newCustomer(), await create()];
    await act(uuid, 'set-restricted-credit', { credit: 100 });
    const asked = { productId, buyerIdentifier: uuid, useCredit: true };
    const quoted = async (): Promise<string> => (await call('POST', '/v1/quotes', asked)).body.quote;
    const ofNoCard = await quoted();
    await putCard(productId, { credit: 100, texture });
    const ofCard = await quoted();

    const forCredit = await sell({ ...asked, paid: 100, quote: ofNoCard });
    await putCard(productId, { credit: 500 });
    const forOldPrice = await sell({ ...asked, paid: 100, quote: ofCard });
    await putCard(productId, { credit: 0 });
    const ofCardGone = await sell({ ...asked, paid: 100, quote: ofCard });

    for (const sale of [forCredit, forOldPrice, ofCardGone])
      expect(sale).toMatchObject({ state: 'refused', refusal: 'quote', change: 100 });
    expect(await cardsOf(uuid)).toEqual([]);
    expect((await call('GET', `/v1/customers/${uuid}/credit`)).body).toMatchObject({ restrictedCredit: 100 });
    await putCard(productId, { credit: 100 });
    expect(await sell({ ...asked, paid: 100, quote: ofCard })).toMatchObject({ state: 'completed', change: 0 });
  });

  test('makes one for a repeat of the request, and none where it is refused', async () => {
    const [uuid, productId] = [await newCustomer(), await voucher()];
    const body = { id: randomUUID(), productId, buyerIdentifier: uuid, paid: 100 };

    const [first, again] = [await sell(body), await sell(body)];
    const short = await sell({ ...body, id: randomUUID(), paid: 99 });

    expect([again, short.refusal]).toEqual([first, 'underpaid']);
    expect(await cardsOf(uuid)).toHaveLength(1);
  });

  test('is told as an event and counted as granted; the item is delivered as ever', async () => {
    setClock(start + 10 * 86_400_000);
    const [uuid, productId] = [await newCustomer(), await voucher()];
    await catchUp();
    while ((await received(queueUrl)).length > 0);
    const sale = await sell({ productId, buyerIdentifier: uuid, paid: 100 });
    await catchUp();
    const [card] = await cardsOf(uuid);
    setClock(start + 10 * 86_400_000 + 60_000);

    const { data } = (await call('GET', '/v1/events?limit=1000')).body;
    const [day] = (await call('GET', '/v1/store/days?from=2028-03-10&to=2028-03-10')).body.data;

    const ofCard = data.filter((event: { data: { id: string } }) => event.data.id === card.id);
    expect(ofCard).toEqual([{ id: expect.any(String), type: 'giftcard.purchased', at: sale.at, data: card }]);
    expect(day).toMatchObject({ sales: 1, giftCardsGranted: 1 });
    for (const [type, count] of [
      ['giftcard.purchased', 1],
      ['giftcard.granted', 0],
    ] as const) {
      const { data: some } = (await call('GET', `/v1/events?limit=1000&type=${type}`)).body;
      expect(some.filter((event: { data: { id: string } }) => event.data.id === card.id)).toHaveLength(count);
    }
    const orders = (await received(queueUrl)).filter((body) => body.includes(sale.deliveryId));
    expect(orders).toHaveLength(1);
  });

  test('costs at most 4 units more', async () => {
    const costs = [];
    for (const productId of [await create(), await voucher()]) {
      const uuid = await newCustomer();
      await act(uuid, 'ban');
      await act(uuid, 'unban');
      const { cost } = await call('POST', '/v1/sales', {
        id: randomUUID(),
        productId,
        buyerIdentifier: uuid,
        paid: 100,
      });
      costs.push(cost);
    }

    expect((costs[1]?.units ?? 0) - (costs[0]?.units ?? 0)).toBeLessThanOrEqual(4);
    expect(costs[1]?.steps).toBe(costs[0]?.steps);
  });
});

describe('the refund of a card', () => {
  const buying = async () => {
    const uuid = await newCustomer();
    const sale = await sell({ productId: await voucher(), buyerIdentifier: uuid, paid: 100 });
    const [card] = await cardsOf(uuid);
    return { uuid, sale, card };
  };

  test('disables it for good: no PUT enables it, and disabling it again is fine', async () => {
    const { uuid, sale, card } = await buying();

    const { status, body } = await refund(sale.id);

    expect([status, body.state, body.refund]).toEqual([200, 'refunded', 100]);
    expect(await cardsOf(uuid)).toEqual([{ ...card, active: false }]);
    const put = await call('PUT', `/v1/giftcards/${card.id}`, { credit: 120 });
    const again = await call('POST', `/v1/giftcards/${card.id}/actions/disable`);
    const redeemed = await call('POST', `/v1/giftcards/${card.id}/actions/redeem`, { identifier: uuid });
    const own = await call('POST', `/v1/customers/${uuid}/giftcards/actions/redeem`);
    expect([put.status, again.status, redeemed.status, own.body.cards]).toEqual([400, 200, 400, 0]);
    expect(again.body).toEqual({ ...card, active: false });
    expect((await refund(sale.id)).body).toEqual(body);
  });

  test('is 400 where it is redeemed, and changes nothing', async () => {
    const { uuid, sale, card } = await buying();
    await call('POST', `/v1/giftcards/${card.id}/actions/redeem`, { identifier: uuid });

    const { status, body } = await refund(sale.id);

    expect([status, body.errors]).toEqual([
      400,
      ['The gift card of the sale has been redeemed: there is nothing to take back.'],
    ]);
    expect((await call('GET', `/v1/sales/${sale.id}`)).body).toEqual(sale);
  });

  test('is made where the card was disabled, emptied or given away before', async () => {
    for (const body of [{ credit: 120, active: false }, { credit: 0 }, { credit: 120, transfer: true }]) {
      const { sale, card } = await buying();
      await call('PUT', `/v1/giftcards/${card.id}`, body);

      expect((await refund(sale.id)).body.state).toBe('refunded');
      expect((await call('GET', `/v1/giftcards/${card.id}`)).body.active).toBe(false);
    }
  });

  test('and its redemption at once: one of both is made', async () => {
    for (let round = 0; round < 8; round++) {
      const { uuid, sale, card } = await buying();

      const [refunded, redeemed] = await Promise.all([
        refund(sale.id),
        call('POST', `/v1/giftcards/${card.id}/actions/redeem`, { identifier: uuid }),
      ]);

      expect([refunded.status, redeemed.status].toSorted()).toEqual([200, 400]);
      const { credit } = (await call('GET', `/v1/customers/${uuid}/credit`)).body;
      expect(credit).toBe(redeemed.status === 200 ? 120 : 0);
    }
  });

  test('is told as disabled', async () => {
    const { sale, card } = await buying();
    setClock(start + 1000);
    await refund(sale.id);
    await catchUp();
    setClock(start + 60_000);

    const { data } = (await call('GET', '/v1/events?type=giftcard.disabled&limit=1000')).body;

    const told = data.filter((event: { data: { id: string } }) => event.data.id === card.id);
    expect(told.map(({ at }: { at: string }) => at)).toEqual([timestamp(start + 1000)]);
  });
});
