import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { handler as worker } from '../../../functions/delivery-worker.ts';
import { handler as sweep } from '../../../functions/expiry-sweep.ts';
import { findCouponUses } from '../../../lib/catalogue/coupon-uses.ts';
import { createCoupon } from '../../../lib/catalogue/coupons.ts';
import { timestamp } from '../../../lib/clock.ts';
import { decodeMessage } from '../../../lib/delivery/message.ts';
import { creditOf, customerWithLots, newCustomer, statesOf } from '../../support/credit-seed.ts';
import { batchOf, contextWith, received, serve, startTestQueue } from '../../support/deliveries.ts';
import { answerLost, intercept, outcomeOf } from '../../support/faults.ts';
import { catchUp, keepHistory } from '../../support/history.ts';
import { ada, bob, cleo, seedResidents, unknownUuid } from '../../support/residents.ts';
import { setClock, startTestService, wholeTable } from '../../support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
let queueUrl: string;
const start = Date.parse('2028-02-29T12:00:00.000Z');
const inSeconds = (seconds: number): string => timestamp(start + seconds * 1000);
const noDiscount = { source: 'none', percent: 0, couponId: null };

beforeAll(async () => {
  setClock(start);
  ({ url: queueUrl } = await startTestQueue());
  service = await startTestService();
  await keepHistory();
  await seedResidents();
});
beforeEach(() => setClock(start));
afterEach(() => {
  process.env.DELIVERY_QUEUE_URL = queueUrl;
});

const sell = (body: object, headers = {}) => service.call('POST', '/v1/sales', { id: randomUUID(), ...body }, headers);
const get = async (path: string) => (await service.call('GET', path)).body;
const create = async (fields: object = {}): Promise<string> =>
  (await service.call('POST', '/v1/products', { name: 'Lamp', price: 100, ...fields })).body.id;
const act = (uuid: string, action: string, body?: object) =>
  service.call('POST', `/v1/customers/${uuid}/actions/${action}`, body);
const quoteFor = async (body: object): Promise<string> => (await service.call('POST', '/v1/quotes', body)).body.quote;
const coupon = async (fields: { discount?: number; ownerProfit?: number; usesPerCustomer?: number } = {}) => {
  const { usesPerCustomer = 0, ...rest } = fields;
  const all = { code: randomUUID(), discount: 20, ownerProfit: 0, active: true, bloggersSync: false, ...rest };
  return (await createCoupon(service.store, ada, all, { usesPerCustomer })).id;
};
const apply = (uuid: string, couponId: string) => act(uuid, 'apply-coupon', { couponId, scope: 0 });

test('201s with the sale and its Location; the buyer has spent and owns it, and the stock has fallen', async () => {
  const [uuid, productId] = [await newCustomer(), await create({ limited: true, availableAmount: 3 })];
  const id = randomUUID().toUpperCase();

  const { status, headers, body } = await sell({ id, productId, buyerIdentifier: uuid, paid: 107, reference: 'T 1' });

  expect(status).toBe(201);
  expect(headers.get('location')).toBe(`/v1/sales/${id.toLowerCase()}`);
  expect(body).toEqual({
    ...{ id: id.toLowerCase(), state: 'completed', refusal: null, productId, buyerUuid: uuid, recipientUuid: uuid },
    ...{ base: 100, discount: noDiscount, total: 100, credit: 0, restrictedCredit: 0 },
    ...{
      paid: 107,
      refund: 7,
      change: 7,
      changePaid: null,
      bonus: 0,
      deliveryId: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7/),
      shares: [],
    },
    ...{ at: timestamp(start), refundedAt: null, refundReference: null, payOut: false, reference: 'T 1' },
    vendorUuid: null,
  });
  expect(await get(`/v1/sales/${id}`)).toEqual(body);
  expect((await get(`/v1/products/${productId}`)).availableAmount).toBe(2);
  expect(await get(`/v1/customers/${uuid}/spend`)).toMatchObject({ sum: 100, lastYearSum: 100, totalOwned: 1 });
  expect((await get(`/v1/customers/${uuid}/products`)).data).toEqual([
    { productId, name: 'Lamp', quantity: 1, boughtAt: timestamp(start), lastDeliveredAt: null },
  ]);
  expect((await get('/v1/customers?spentMoreThan=99')).data.map((row: { uuid: string }) => row.uuid)).toContain(uuid);
});

test('keeps the vendor as told, refused or not; left out and null are one request, and a quote does not fix it', async () => {
  const [buyerIdentifier, productId, vendorUuid] = [await newCustomer(), await create(), randomUUID()];
  const asked = { productId, buyerIdentifier, paid: 100 };
  const quote = await quoteFor({ productId, buyerIdentifier, vendorUuid: randomUUID() });
  const [id, other] = [randomUUID(), randomUUID()];

  const sold = await sell({ ...asked, quote, vendorUuid: vendorUuid.toUpperCase(), id });
  const refused = await sell({ ...asked, paid: 1, vendorUuid });
  const without = await sell({ ...asked, id: other });
  const repeats = [
    await sell({ ...asked, id: other, vendorUuid: null }),
    await sell({ ...asked, id: other, vendorUuid }),
    await sell({ ...asked, quote, vendorUuid, id }),
    await sell({ ...asked, vendorUuid: 'here' }),
  ];

  expect(sold.body).toMatchObject({ state: 'completed', vendorUuid });
  expect(refused.body).toMatchObject({ state: 'refused', vendorUuid });
  expect(without.body.vendorUuid).toBeNull();
  expect(repeats.map(({ status }) => status)).toEqual([201, 422, 201, 400]);
  expect((await service.call('POST', '/v1/quotes', { productId, buyerIdentifier, vendorUuid: 5 })).status).toBe(400);
});

test('a gift is the recipient’s, who becomes a customer, and the buyer’s spend', async () => {
  const [buyer, recipient, productId] = [await newCustomer(), await newCustomer(), await create()];

  const { body } = await sell({ productId, buyerIdentifier: buyer, recipientIdentifier: recipient, paid: 100 });

  expect([body.state, body.recipientUuid]).toEqual(['completed', recipient]);
  expect(await get(`/v1/customers/${buyer}/spend`)).toMatchObject({ sum: 100, totalOwned: 0 });
  expect(await get(`/v1/customers/${recipient}/spend`)).toMatchObject({ sum: 0, totalOwned: 1 });
  const customers = (await get('/v1/customers?limit=1000')).data.map((row: { uuid: string }) => row.uuid);
  expect(customers).toEqual(expect.arrayContaining([buyer, recipient]));
});

test('refuses who pays too little with one coupon applied both for the product and to the whole store', async () => {
  const [uuid, productId, couponId] = [
    await newCustomer(),
    await create({ limited: true, availableAmount: 3 }),
    await coupon(),
  ];
  await act(uuid, 'apply-coupon', { couponId, scope: 1, productId });
  await apply(uuid, couponId);

  const { status, body } = await sell({ productId, buyerIdentifier: uuid, paid: 79 });

  expect([status, body.refusal, body.total]).toEqual([201, 'underpaid', 80]);
});

test('takes a buyer whom nobody can name, and calls them by their UUID', async () => {
  const stranger = randomUUID();

  const { status, body } = await sell({ productId: await create(), buyerIdentifier: stranger, paid: 100 });

  expect([status, body.state]).toEqual([201, 'completed']);
  expect(await get(`/v1/customers/${stranger}`)).toMatchObject({ uuid: stranger, username: stranger });
});

test('shares are of what was kept, the commission first; a script gets none', async () => {
  const uuid = await newCustomer();
  await apply(uuid, await coupon({ discount: 0, ownerProfit: 10 }));
  const profitShares = [{ userUuid: bob.uuid, percent: 33.3 }];
  const asked = {
    id: randomUUID(),
    productId: await create({ price: 59, profitShares }),
    buyerIdentifier: uuid,
    paid: 60,
  };

  const script = await sell(asked, { 'X-SecondLife-Shard': 'Production' });
  const again = await sell(asked);

  expect(script.body.shares).toEqual([]);
  expect(again.body.shares).toEqual([
    { residentUuid: ada.uuid, kind: 'commission', percent: 10, amount: 5 },
    { residentUuid: bob.uuid, kind: 'share', percent: 33.3, amount: 19 },
  ]);
  const listed = await service.call('GET', `/v1/sales?buyer=${uuid}`, undefined, {
    'X-SecondLife-Shard': 'Production',
  });
  expect(listed.body.data[0].shares).toEqual([]);
});

describe('credit', () => {
  const rich = async (): Promise<string> => {
    const uuid = await newCustomer();
    await act(uuid, 'increment-restricted-credit', { delta: 15 });
    await act(uuid, 'increment-restricted-credit', { delta: 5, expiresAt: inSeconds(60) });
    await act(uuid, 'increment-credit', { delta: 20 });
    await act(uuid, 'increment-credit', { delta: 10, expiresAt: inSeconds(90) });
    return uuid;
  };

  test('of both types goes in one change, with two numbers in history, the regular one last', async () => {
    const [uuid, productId] = [await rich(), await create({ price: 45 })];
    const before = (await creditOf(service.store, uuid)).item.creditVersion ?? 0;

    const { body } = await sell({ productId, buyerIdentifier: uuid, paid: 0, useCredit: true });

    expect(body).toMatchObject({ state: 'completed', total: 45, restrictedCredit: 20, credit: 25, refund: 0 });
    const { item, lots, faults } = await creditOf(service.store, uuid);
    expect([item.credit, item.restrictedCredit, item.creditVersion, faults]).toEqual([5, 0, before + 2, []]);
    expect(item.lastChange).toMatchObject({ k: 'sal', y: 's r', saleId: body.id });
    expect(lots.map(({ sk, state, changed }) => [sk.split('#')[0], state, changed])).toEqual([
      ['regular', 'drained', before + 2],
      ['restricted', 'drained', before + 1],
    ]);
  });

  test('that has come due expires in the same change, and pays nothing', async () => {
    const [uuid, productId] = [await rich(), await create({ price: 45 })];
    setClock(start + 90_000);

    const { body } = await sell({ productId, buyerIdentifier: uuid, paid: 10, useCredit: true });

    expect(body).toMatchObject({ state: 'completed', restrictedCredit: 15, credit: 20, refund: 0 });
    const { item, lots, faults } = await creditOf(service.store, uuid);
    expect([item.credit, item.restrictedCredit, statesOf(lots), faults]).toEqual([0, 0, { expired: 2 }, []]);
    expect(item.lastChange).toMatchObject({ y: 's5 r10' });
  });

  test('in more lots than a transaction holds is taken like a large drain', async () => {
    const lots = Array.from({ length: 150 }, (_, number) => ({ amount: 2, expiresAt: inSeconds(100 + number) }));
    const [uuid, productId] = [await customerWithLots(service.store, lots, 30), await create({ price: 299 })];
    await act(uuid, 'increment-restricted-credit', { delta: 9, expiresAt: inSeconds(60) });

    const { body } = await sell({ productId, buyerIdentifier: uuid, paid: 0, useCredit: true });

    expect(body).toMatchObject({ state: 'completed', restrictedCredit: 9, credit: 290 });
    const { item, lots: after, faults } = await creditOf(service.store, uuid);
    expect([item.credit, item.restrictedCredit, item.pending, faults]).toEqual([40, 0, undefined, []]);
    expect(statesOf(after)).toEqual({ drained: 146, open: 5 });
  });

  test('that a quote counted on and that is gone refuses the sale', async () => {
    const [uuid, productId] = [await rich(), await create()];
    const asked = { productId, buyerIdentifier: uuid, useCredit: true };
    const quote = await quoteFor(asked);
    await act(uuid, 'increment-restricted-credit', { delta: -1 });

    const { body } = await sell({ ...asked, quote, paid: 50 });

    expect(body).toMatchObject({ state: 'refused', refusal: 'credit-changed', refund: 50, change: 50 });
    expect((await creditOf(service.store, uuid)).item).toMatchObject({ credit: 30, restrictedCredit: 19 });
  });

  test('whose item was read before another change, and whose lots after it, refuses no sale', async () => {
    const [uuid, productId] = [await newCustomer(), await create({ price: 60 })];
    await act(uuid, 'increment-credit', { delta: 40 });
    await act(uuid, 'increment-credit', { delta: 15, expiresAt: inSeconds(10) });
    setClock(start + 20_000);
    const asked = { productId, buyerIdentifier: uuid, useCredit: true };
    const quote = await quoteFor(asked);
    let changes = 0;
    const stop = intercept(async ({ operation, input }, send) => {
      if (operation !== 'Query' || !JSON.stringify(input).includes('#LOT#') || changes > 0) return send();
      changes += 1;
      // An instance with a slow clock adds a lot that is due for this one.
      setClock(start + 5_000);
      await act(uuid, 'increment-credit', { delta: 20, expiresAt: inSeconds(15) });
      setClock(start + 20_000);
      return send();
    });

    const { body } = await sell({ ...asked, quote, paid: 20 }).finally(stop);

    expect(changes).toBe(1);
    expect(body).toMatchObject({ state: 'completed', credit: 40, change: 0 });
  });

  test('whose item was read before another change, and whose lots after it, makes no quote negative', async () => {
    const [uuid, productId] = [await newCustomer(), await create({ price: 60 })];
    await act(uuid, 'increment-credit', { delta: 15, expiresAt: inSeconds(10) });
    setClock(start + 20_000);
    const stop = intercept(async ({ operation, input }, send) => {
      if (operation !== 'Query' || !JSON.stringify(input).includes('#LOT#')) return send();
      stop();
      setClock(start + 5_000);
      await act(uuid, 'increment-credit', { delta: 13, expiresAt: inSeconds(15) });
      setClock(start + 20_000);
      return send();
    });

    const { body } = await service.call('POST', '/v1/quotes', { productId, buyerIdentifier: uuid, useCredit: true });

    expect(body).toMatchObject({ total: 60, credit: 0, toPay: 60 });
  });

  test('whose lots were read before another change, and whose item after it, makes no quote negative', async () => {
    const [uuid, productId] = [await newCustomer(), await create({ price: 60 })];
    await act(uuid, 'increment-credit', { delta: 30, expiresAt: inSeconds(10) });
    const quote = async () => {
      setClock(start + 20_000);
      return (await service.call('POST', '/v1/quotes', { productId, buyerIdentifier: uuid, useCredit: true })).body;
    };
    const reads: unknown[] = [];
    const stop = intercept(async ({ operation, input }, send) => {
      if (operation !== 'Query' || !JSON.stringify(input).includes('#LOT#')) return send();
      reads.push(await send());
      return reads.length === 3 ? reads[0] : reads.at(-1);
    });
    await quote();
    setClock(start + 5_000);
    await act(uuid, 'increment-credit', { delta: -12 });

    const quoted = await quote().finally(stop);

    expect(reads).toHaveLength(4);
    expect(quoted).toMatchObject({ total: 60, credit: 0, toPay: 60 });
  });
});

test('a quote fixes the terms: a new price, a lapsed coupon and new credit do not change them', async () => {
  const [uuid, productId, id] = [await newCustomer(), await create(), await coupon({ ownerProfit: 50 })];
  await apply(uuid, id);
  const asked = { productId, buyerIdentifier: uuid, useCredit: true };
  const quote = await quoteFor(asked);
  await service.call('PUT', `/v1/products/${productId}`, { name: 'Lamp', price: 500 });
  await act(uuid, 'revoke-coupon', { couponId: id, scope: 0 });
  await act(uuid, 'set-credit', { credit: 1000 });

  const { body } = await sell({ ...asked, quote, paid: 80 });

  expect(body).toMatchObject({ state: 'completed', base: 100, total: 80, credit: 0, refund: 0 });
  expect(body.discount).toEqual({ source: 'coupon', percent: 20, couponId: id });
  expect(body.shares).toMatchObject([{ residentUuid: ada.uuid, amount: 40 }]);
  expect((await findCouponUses(service.store, uuid, id))?.uses).toBe(1);
});

test('a quote that is over counts as none', async () => {
  const asked = { productId: await create(), buyerIdentifier: bob.uuid };
  const quote = await quoteFor(asked);
  await service.call('PUT', `/v1/products/${asked.productId}`, { name: 'Lamp', price: 90 });
  setClock(start + 120_000);

  expect((await sell({ ...asked, quote, paid: 90 })).body).toMatchObject({ state: 'completed', base: 90 });
});

test('a coupon is used by each sale in which it takes effect, up to its limit', async () => {
  const [uuid, productId, id] = [await newCustomer(), await create(), await coupon({ usesPerCustomer: 2 })];
  await apply(uuid, id);
  const asked = { productId, buyerIdentifier: uuid };
  const quote = await quoteFor(asked);

  const totals = [];
  for (let sale = 1; sale <= 3; sale++) totals.push((await sell({ ...asked, paid: 100 })).body.total);
  const late = await sell({ ...asked, quote, paid: 80 });

  expect(totals).toEqual([80, 80, 100]);
  expect(late.body).toMatchObject({ state: 'refused', refusal: 'coupon-used', refund: 80, total: 80 });
  expect((await findCouponUses(service.store, uuid, id))?.uses).toBe(2);
});

describe('a refused sale', () => {
  const cases: [refusal: string, make: () => Promise<object>][] = [
    ['unknown-resident', async () => ({ productId: unknownUuid, buyerIdentifier: 'nobody.here' })],
    ['unknown-resident', async () => ({ productId: await create(), recipientIdentifier: 'nobody.here' })],
    ['unknown-product', async () => ({ productId: unknownUuid, quote: 'no quote' })],
    ['quote', async () => ({ productId: await create({ active: false }), quote: 'no quote' })],
    [
      'quote',
      async () => ({
        productId: await create(),
        quote: await quoteFor({ productId: await create(), buyerIdentifier: bob.uuid }),
      }),
    ],
    [
      'banned',
      async () => {
        await act(cleo.uuid, 'ban');
        return { productId: await create({ active: false }), recipientIdentifier: cleo.uuid };
      },
    ],
    ['inactive', async () => ({ productId: await create({ active: false, limited: true }) })],
    ['sold-out', async () => ({ productId: await create({ limited: true }), paid: 0 })],
    ['underpaid', async () => ({ productId: await create(), paid: 99 })],
  ];

  test.each(cases)('as %s is kept, gives everything back and changes nothing else', async (refusal, make) => {
    const asked = { id: randomUUID(), buyerIdentifier: bob.uuid, paid: 100, ...(await make()) };
    const before = await wholeTable();

    const { status, body } = await sell(asked);

    expect([status, body]).toMatchObject([
      201,
      { state: 'refused', refusal, refund: asked.paid, change: asked.paid, deliveryId: null, shares: [] },
    ]);
    expect(await get(`/v1/sales/${asked.id}`)).toEqual(body);
    const after = await wholeTable();
    expect(after.filter(({ sk }) => !String(sk).endsWith(asked.id))).toEqual(before);
    if (refusal === 'unknown-resident') expect([body.buyerUuid, body.recipientUuid]).toContain(null);
    expect(body.base).toBe(/^unknown/.test(refusal) ? 0 : 100);
  });

  test('as underpaid does not ask for credit that has ended, which a store with a bonus reads', async () => {
    const bonus = { percent: 10, groupPercent: 0, type: 'regular', expiresInDays: null };
    const [uuid, productId] = [await newCustomer(), await create()];
    await act(uuid, 'increment-credit', { delta: 15, expiresAt: inSeconds(10) });
    setClock(start + 20_000);
    await service.call('PUT', '/v1/store/rules', { bonus });

    const { status, body } = await sell({ id: randomUUID(), productId, buyerIdentifier: uuid, paid: 99 });

    await service.call('PUT', '/v1/store/rules', {});
    expect([status, body]).toMatchObject([201, { state: 'refused', refusal: 'underpaid', refund: 99 }]);
  });

  test('stays refused when its reason has gone', async () => {
    const productId = await create({ limited: true });
    const asked = { id: randomUUID(), productId, buyerIdentifier: bob.uuid, paid: 100 };
    const first = await sell(asked);
    await service.call('PUT', `/v1/products/${productId}`, { name: 'Lamp', price: 100 });

    expect((await sell(asked)).body).toEqual(first.body);
    expect(first.body.refusal).toBe('sold-out');
  });

  test('is told while the store is closed', async () => {
    const asked = { productId: await create(), buyerIdentifier: bob.uuid, paid: 100 };
    await service.call('POST', '/v1/store/actions/close');
    const { body } = await sell(asked);
    await service.call('POST', '/v1/store/actions/open');

    expect(body).toMatchObject({ state: 'refused', refusal: 'closed' });
  });
});

test('the same request under an id makes no second sale, a day later either, and another one is 422', async () => {
  const [uuid, productId] = [await newCustomer(), await create({ limited: true, availableAmount: 9 })];
  const asked = { id: randomUUID(), productId, buyerIdentifier: uuid, paid: 100, message: 'Enjoy' };
  const first = await sell(asked);
  setClock(start + 86_400_000);

  const again = await sell({ ...asked, id: asked.id.toUpperCase(), buyerIdentifier: uuid.toUpperCase(), unknown: 1 });
  const others = [
    await sell({ ...asked, paid: 101 }),
    await sell({ ...asked, message: 'Enjoy it' }),
    await sell({ ...asked, useCredit: true }),
    await sell({ ...asked, recipientIdentifier: uuid }),
  ];

  expect([again.status, again.body]).toEqual([201, first.body]);
  expect(others.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
  expect((await get(`/v1/products/${productId}`)).availableAmount).toBe(8);
  expect((await get(`/v1/customers/${uuid}/spend`)).sum).toBe(100);
});

test('a sale whose answer was lost is made once, and told to whoever asks again', async () => {
  const [uuid, productId] = [await newCustomer(), await create({ limited: true, availableAmount: 5 })];
  await act(uuid, 'set-credit', { credit: 30 });
  const asked = { id: randomUUID(), productId, buyerIdentifier: uuid, paid: 70, useCredit: true };
  const stop = intercept(async ({ operation }, send) => {
    const answer = await send();
    if (operation === 'TransactWriteItems') throw answerLost();
    return answer;
  });
  const lost = await sell(asked).finally(stop);

  const again = [await sell(asked), await sell(asked)];

  expect(outcomeOf(lost)).toBe('unknown');
  expect(again.map(({ status, body }) => [status, body.state, body.credit, body.refund])).toEqual([
    [201, 'completed', 30, 0],
    [201, 'completed', 30, 0],
  ]);
  expect((await get(`/v1/products/${productId}`)).availableAmount).toBe(4);
  const { item, faults } = await creditOf(service.store, uuid);
  expect([item.credit, faults]).toEqual([0, []]);
  expect(await get(`/v1/customers/${uuid}/spend`)).toMatchObject({ sum: 70 });
});

test('nothing is paid for a product that costs nothing, and nothing is too little for any other', async () => {
  const buyerIdentifier = await newCustomer();

  const free = await sell({ productId: await create({ price: 0 }), buyerIdentifier, paid: 0 });
  const priced = await sell({ productId: await create({ price: 1 }), buyerIdentifier, paid: 0 });

  expect(free.body).toMatchObject({ state: 'completed', total: 0, refund: 0 });
  expect(priced.body).toMatchObject({ state: 'refused', refusal: 'underpaid', refund: 0 });
  expect(await get(`/v1/customers/${buyerIdentifier}/spend`)).toMatchObject({ sum: 0, totalOwned: 1 });
});

test('who is banned after the quote, or pays when the store has closed, gets all of it back', async () => {
  const [uuid, productId] = [await newCustomer(), await create()];
  const asked = { productId, buyerIdentifier: uuid };
  const [first, second] = [await quoteFor(asked), await quoteFor(asked)];
  const done = { ...asked, id: randomUUID(), paid: 100 };
  await sell(done);

  await act(uuid, 'ban');
  const banned = await sell({ ...asked, quote: first, paid: 100 });
  await act(uuid, 'unban');
  await service.call('POST', '/v1/store/actions/close');
  const late = { ...asked, id: randomUUID(), quote: second, paid: 105 };
  const closed = await sell(late);
  const told = await sell(done);
  await service.call('POST', '/v1/store/actions/open');

  expect(banned.body).toMatchObject({ state: 'refused', refusal: 'banned', refund: 100, change: 100 });
  expect(closed.body).toMatchObject({ state: 'refused', refusal: 'closed', refund: 105, change: 105 });
  expect((await sell(late)).body).toEqual(closed.body);
  expect(told.body.state).toBe('completed');
});

test('an Idempotency-Key gives the same answer again, of a completed sale and of a refused one', async () => {
  const asked = { id: randomUUID(), productId: await create(), buyerIdentifier: await newCustomer() };
  for (const [paid, state] of [
    [100, 'completed'],
    [0, 'refused'],
  ] as const) {
    const headers = { 'Idempotency-Key': randomUUID() };
    const body = { ...asked, id: randomUUID(), paid };

    const first = await sell(body, headers);
    const again = await sell(body, headers);

    expect([first.status, first.body.state]).toEqual([201, state]);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  }
});

test('32 sales at once never spend the same credit twice', async () => {
  const [uuid, productId] = [await newCustomer(), await create({ price: 10 })];
  await act(uuid, 'set-credit', { credit: 95 });

  const sales = await Promise.all(
    Array.from({ length: 32 }, () => sell({ productId, buyerIdentifier: uuid, paid: 10, useCredit: true })),
  );

  const credit = sales.reduce((sum, { body }) => sum + body.credit, 0);
  const kept = sales.reduce((sum, { body }) => sum + body.paid - body.refund, 0);
  expect(sales.map(({ status, body }) => [status, body.state])).toEqual(Array(32).fill([201, 'completed']));
  expect([credit, kept]).toEqual([95, 320 - 95]);
  const { item, faults } = await creditOf(service.store, uuid);
  expect([item.credit, faults]).toEqual([0, []]);
  expect(await get(`/v1/customers/${uuid}/spend`)).toMatchObject({ sum: 225, totalOwned: 1 });
});

/** The messages about a sale that are on the queue now; those of other sales are dropped. */
const receivedFor = async (sale: string): Promise<string[]> => {
  const messages: string[] = [];
  for (let some = await received(queueUrl); some.length > 0; some = await received(queueUrl)) messages.push(...some);
  return messages.filter((message) => message.includes(sale));
};
const runSweep = () => sweep({}, contextWith(60_000));

describe('the delivery', () => {
  // A sweep does not come back to a time that it has looked at, as another test would have it.
  let begin = start;
  beforeEach(() => {
    begin += 50 * 3_600_000;
    setClock(begin);
  });

  const soldOne = async (): Promise<{ id: string; deliveryId: string; at: string; productId: string }> =>
    (
      await sell({
        productId: await create({ item: 'Lamp box' }),
        buyerIdentifier: bob.uuid,
        paid: 100,
        message: 'Enjoy',
      })
    ).body;
  /** The sales that history has counted on all days. */
  const countedSales = async (): Promise<number> =>
    (await wholeTable(`${service.store}#DAY`)).reduce((sum, { sales = 0 }) => sum + Number(sales), 0);
  const orderOfSale = ({
    id: saleId,
    deliveryId: id,
    at: createdAt,
    productId,
  }: Awaited<ReturnType<typeof soldOne>>) => {
    const recipient = { recipientUuid: bob.uuid, recipientUsername: bob.username };
    const item = { item: 'Lamp box', message: 'Enjoy' };
    return { kind: 'deliver', store: service.store, id, productId, ...recipient, saleId, ...item, createdAt };
  };

  test('is ordered from the stream, under the sale’s own delivery id, and a sweep orders no other', async () => {
    const sale = await soldOne();
    await catchUp();

    const messages = await receivedFor(sale.id);
    await worker(batchOf(...messages), contextWith(60_000));
    for (const seconds of [60, 20 * 60, 86_400, 2 * 86_400]) {
      setClock(begin + seconds * 1000);
      await runSweep();
    }

    expect(messages.map(decodeMessage)).toEqual([orderOfSale(sale)]);
    expect(await receivedFor(sale.id)).toEqual([]);
    const { deliveryId: id, id: saleId, productId } = sale;
    expect(await get(`/v1/deliveries/${id}`)).toMatchObject({ id, saleId, productId, recipientUuid: bob.uuid });
  });

  test('of a sale whose stream nothing reads is ordered by the next sweeps, once', async () => {
    const sale = await soldOne();
    await runSweep();
    const tooEarly = await receivedFor(sale.id);
    setClock(begin + 30_000);

    await runSweep();
    const messages = await receivedFor(sale.id);
    await runSweep();

    expect(tooEarly).toEqual([]);
    expect(messages.map(decodeMessage)).toEqual([orderOfSale(sale)]);
    expect(await receivedFor(sale.id)).toEqual([]);
  });

  test('is left to the sweep while the queue takes nothing, and history does not wait for it', async () => {
    await catchUp();
    const soldBefore = await countedSales();
    const sale = await soldOne();
    process.env.DELIVERY_QUEUE_URL = 'http://127.0.0.1:1/000000000000/nothing';
    await catchUp();
    process.env.DELIVERY_QUEUE_URL = queueUrl;
    setClock(begin + 30_000);

    await runSweep();

    expect(await countedSales()).toBe(soldBefore + 1);
    expect((await receivedFor(sale.id)).map(decodeMessage)).toEqual([orderOfSale(sale)]);
  });

  test('is given once though a sweep ordered it again before a worker began it, and all came again', async () => {
    const given: string[] = [];
    const url = await serve(async (request, response) => {
      given.push(await text(request));
      response.end('ok');
    });
    process.env.DISPENSER_LOOPBACK = 'allowed';
    const dispenser = { url, region: 'Here', items: ['Lamp box'] };
    await service.call('PUT', '/v1/dispenser', dispenser);
    await catchUp();
    const sale = await soldOne();
    await catchUp();
    setClock(begin + 30_000);
    await runSweep();

    const messages = await receivedFor(sale.id);
    for (const some of [messages, messages]) await worker(batchOf(...some), contextWith(60_000));

    expect(messages.map(decodeMessage)).toEqual([orderOfSale(sale), orderOfSale(sale)]);
    expect(given.filter((body) => body.includes(sale.deliveryId))).toHaveLength(1);
    expect(await get(`/v1/deliveries/${sale.deliveryId}`)).toMatchObject({ state: 'delivered', attempts: 1 });
  });
});

test('lists sales newest first, by buyer, product and state, in pages both ways', async () => {
  const [uuid, other, productId] = [await newCustomer(), await newCustomer(), await create({ price: 10 })];
  const ids: Record<string, string> = {};
  const made = async (name: string, seconds: number, body: object) => {
    setClock(start + 10 * 86_400_000 + seconds * 1000);
    ids[name] = (await sell({ productId, buyerIdentifier: uuid, paid: 10, ...body })).body.id;
  };
  await made('first', 1, {});
  await made('refused', 2, { paid: 9 });
  await made('others', 3, { buyerIdentifier: other });
  await made('elsewhere', 4, { productId: await create({ price: 10 }) });
  const listed = async (query: string): Promise<(string | undefined)[]> => {
    const names: (string | undefined)[] = [];
    let page = await get(`/v1/sales?limit=1&${query}`);
    for (;;) {
      names.push(...page.data.map(({ id }: { id: string }) => Object.keys(ids).find((name) => ids[name] === id)));
      if (page.pagination.nextCursor === null) break;
      page = await get(`/v1/sales?limit=1&${query}&cursor=${page.pagination.nextCursor}`);
    }
    const back = page.pagination.previousCursor;
    if (back) expect((await get(`/v1/sales?limit=100&${query}&cursor=${back}`)).data).toHaveLength(names.length - 1);
    return names;
  };

  expect(await listed(`buyer=${uuid}`)).toEqual(['elsewhere', 'refused', 'first']);
  expect(await listed(`buyer=${uuid}&state=refused`)).toEqual(['refused']);
  expect(await listed(`buyer=${uuid}&product=${productId}`)).toEqual(['refused', 'first']);
  expect(await listed(`product=${productId}`)).toEqual(['others', 'refused', 'first']);
  expect(await listed(`product=${productId}&state=completed`)).toEqual(['others', 'first']);
  expect((await listed('state=completed')).slice(0, 3)).toEqual(['elsewhere', 'others', 'first']);
  expect((await listed('')).slice(0, 4)).toEqual(['elsewhere', 'others', 'refused', 'first']);
  expect(await listed('buyer=nobody.here')).toEqual([]);
  expect(await listed('state=refunded')).toEqual([]);
  expect((await service.call('GET', '/v1/sales?state=open&buyer=a..b&product=x')).body.errors).toHaveLength(3);
  const { nextCursor } = (await get(`/v1/sales?limit=1&buyer=${uuid}`)).pagination;
  expect((await service.call('GET', `/v1/sales?buyer=${other}&cursor=${nextCursor}`)).status).toBe(400);
});

test('lists the sales of a span, from its first moment on and before its last, in every list', async () => {
  const [uuid, productId] = [await newCustomer(), await create({ price: 10 })];
  const at = (seconds: number) => timestamp(start + 20 * 86_400_000 + seconds * 1000);
  const made: string[] = [];
  for (const seconds of [1, 2, 3, 4]) {
    setClock(Date.parse(at(seconds)));
    const sale = await sell({ productId, buyerIdentifier: uuid, paid: seconds === 3 ? 9 : 10 });
    made.push(sale.body.id);
  }
  const listed = async (query: string) => {
    const { body, cost } = await service.call('GET', `/v1/sales?from=${at(2)}&to=${at(4)}&limit=2${query}`);
    return { numbers: body.data.map(({ id }: { id: string }) => made.indexOf(id) + 1), units: cost?.units };
  };
  const all = [`&buyer=${uuid}`, `&product=${productId}`, ''];

  for (const list of all) expect((await listed(list)).numbers).toEqual([3, 2]);
  for (const list of all) expect((await listed(`${list}&state=completed`)).numbers).toEqual([2]);
  // Neither of the sales outside the span is read.
  expect((await listed('&state=completed')).units).toBe(1);
  expect((await listed('&state=refused')).numbers).toEqual([3]);
  const page = await get(`/v1/sales?buyer=${uuid}&limit=1&from=${at(2)}&to=${at(4)}`);
  const next = await get(
    `/v1/sales?buyer=${uuid}&limit=1&from=${at(2)}&to=${at(4)}&cursor=${page.pagination.nextCursor}`,
  );
  expect([next.data[0].id, next.pagination.nextCursor]).toEqual([made[1], null]);
  const back = await get(
    `/v1/sales?buyer=${uuid}&limit=9&from=${at(2)}&to=${at(4)}&cursor=${next.pagination.previousCursor}`,
  );
  expect(back).toMatchObject({ data: [{ id: made[2] }], pagination: { previousCursor: null } });
  expect((await get(`/v1/sales?buyer=${uuid}&from=${at(4)}&to=${at(4)}`)).data).toEqual([]);
  expect((await service.call('GET', `/v1/sales?buyer=${uuid}&from=${at(4)}&to=${at(2)}`)).body.errors).toEqual([
    `from must not be after to, which is ${at(2)}.`,
  ]);
  const offset = at(4).replace('Z', '+00:00').replaceAll('+', '%2B');
  expect((await get(`/v1/sales?buyer=${uuid}&from=${offset}`)).data.map(({ id }: { id: string }) => id)).toEqual([
    made[3],
  ]);
  expect((await service.call('GET', '/v1/sales?from=today&to=2030-01-31')).body.errors).toEqual([
    'from must be an ISO 8601 date-time with an offset, such as 2030-01-31T12:00:00Z.',
    'to must be an ISO 8601 date-time with an offset, such as 2030-01-31T12:00:00Z.',
  ]);
});

test('a use that a refund gave back counts, even if the sale reads the uses as they were before', async () => {
  const [uuid, productId, id] = [await newCustomer(), await create(), await coupon({ usesPerCustomer: 1 })];
  await apply(uuid, id);
  const sold = (await sell({ productId, buyerIdentifier: uuid, paid: 80 })).body;
  const reads: unknown[] = [];
  const stop = intercept(async ({ operation, input }, send) => {
    if (operation !== 'GetItem' || !JSON.stringify(input).includes('#USE#')) return send();
    reads.push(await send());
    return reads.length === 3 ? reads[0] : reads.at(-1);
  });
  await quoteFor({ productId, buyerIdentifier: uuid });
  await service.call('POST', `/v1/sales/${sold.id}/actions/refund`);

  const { body } = await sell({ productId, buyerIdentifier: uuid, paid: 100 }).finally(stop);

  expect(reads).toHaveLength(4);
  expect(body).toMatchObject({ state: 'completed', total: 80, change: 20, discount: { couponId: id } });
});

test('404s for a sale of another store, and makes one under the same id there', async () => {
  const { body } = await sell({ productId: await create(), buyerIdentifier: bob.uuid, paid: 100 });

  const theirs = await service.callOther('GET', `/v1/sales/${body.id}`);
  const asked = { id: body.id, productId: body.productId, buyerIdentifier: bob.uuid, paid: 100 };
  const made = await service.callOther('POST', '/v1/sales', asked);

  expect(theirs.status).toBe(404);
  expect([made.status, made.body.refusal]).toEqual([201, 'unknown-product']);
});

test('400s with one message for each fault of the body', async () => {
  const { status, body } = await service.call('POST', '/v1/sales', {
    paid: -1,
    quote: 'x'.repeat(1025),
    message: 'a\u0007',
    reference: 'x'.repeat(101),
  });

  expect([status, body.errors.map((message: string) => message.split(' ')[0])]).toEqual([
    400,
    ['id', 'productId', 'buyerIdentifier', 'paid', 'quote', 'message', 'reference'],
  ]);
});
