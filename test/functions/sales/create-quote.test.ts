import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { createCoupon } from '../../../lib/catalogue/coupons.ts';
import { timestamp } from '../../../lib/clock.ts';
import type { AskedOffer } from '../../../lib/sale/facts.ts';
import { openQuote } from '../../../lib/sale/quote.ts';
import { couponUsesKey } from '../../../lib/table/keys.ts';
import { put } from '../../../lib/table/language.ts';
import { write } from '../../../lib/table/table.ts';
import { newCustomer } from '../../support/credit-seed.ts';
import { ada, bob, newResident, seedResidents, unknownUuid } from '../../support/residents.ts';
import { setClock, startTestService, wholeTable } from '../../support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
const start = Date.parse('2028-02-29T12:00:00.000Z');
const soon = timestamp(start + 60_000);
const noDiscount = { source: 'none', percent: 0, couponId: null };

beforeAll(async () => {
  setClock(start);
  service = await startTestService();
  await seedResidents();
});
beforeEach(() => setClock(start));

const quote = (body: unknown, headers = {}) => service.call('POST', '/v1/quotes', body, headers);
const create = async (fields: object = {}): Promise<string> =>
  (await service.call('POST', '/v1/products', { name: 'Lamp', price: 100, ...fields })).body.id;
const customerAction = (uuid: string, action: string, body?: object) =>
  service.call('POST', `/v1/customers/${uuid}/actions/${action}`, body);
const apply = (uuid: string, couponId: string, productId?: string) =>
  customerAction(uuid, 'apply-coupon', {
    couponId,
    ...(productId === undefined ? { scope: 0 } : { scope: 1, productId }),
    expiresInHours: 1,
  });
const coupon = async (fields: { discount?: number; ownerProfit?: number; usesPerCustomer?: number } = {}) => {
  const { usesPerCustomer = 0, ...rest } = fields;
  const all = { code: randomUUID(), discount: 20, ownerProfit: 0, active: true, bloggersSync: false, ...rest };
  return (await createCoupon(service.store, ada, all, { usesPerCustomer })).id;
};
/** The parts of an offer for which a quote counts. */
type Parties = Pick<AskedOffer, 'productId' | 'buyer' | 'recipient' | 'useCredit'>;

/** The terms that a quote has sealed. */
const termsIn = (text: string, offer: Parties, at = timestamp(start), store = service.store) =>
  openQuote({ inGroup: false, ...offer, at, store, quote: text });

test('200s with the active price, what is left to pay, and a quote for two minutes; writes nothing', async () => {
  const productId = await create({ discount: { value: 30, type: 1 } });
  const before = await wholeTable();

  const { status, body } = await quote({ productId, buyerIdentifier: bob.username });

  const prices = { base: 70, discount: noDiscount, total: 70, credit: 0, restrictedCredit: 0, toPay: 70 };
  const people = { buyerUuid: bob.uuid, recipientUuid: bob.uuid };
  const expiresAt = timestamp(start + 120_000);
  expect([status, body]).toEqual([
    200,
    { productId, ...people, ...prices, bonus: 0, refusal: null, quote: expect.any(String), expiresAt },
  ]);
  expect(termsIn(body.quote, { productId, buyer: bob.uuid, recipient: bob.uuid, useCredit: false })).toEqual(prices);
  expect(await wholeTable()).toEqual(before);
});

test('takes UUIDs that nobody can name, for buyer and recipient', async () => {
  const productId = await create();

  const { status, body } = await quote({
    productId,
    buyerIdentifier: unknownUuid.toUpperCase(),
    recipientIdentifier: 'Ada Lovelace',
  });
  const gift = await quote({ productId, buyerIdentifier: ada.uuid, recipientIdentifier: unknownUuid });

  expect([status, body.buyerUuid, body.recipientUuid]).toEqual([200, unknownUuid, ada.uuid]);
  expect([gift.status, gift.body.recipientUuid, gift.body.toPay]).toEqual([200, unknownUuid, 100]);
});

test('counts the largest of the customer’s discount and the applied coupon, the product’s before the store’s', async () => {
  const [uuid, productId] = [await newCustomer(), await create()];
  const asked = { productId, buyerIdentifier: uuid };
  const discountNow = async () => (await quote(asked)).body.discount;
  const [forStore, forProduct] = [await coupon({ discount: 50 }), await coupon({ discount: 20 })];

  await service.call('PUT', `/v1/customers/${uuid}`, { discount: 15 });
  const alone = await discountNow();
  await apply(uuid, forStore);
  const withStore = await discountNow();
  await apply(uuid, forProduct, productId);
  const withProduct = await discountNow();
  await service.call('PUT', `/v1/coupons/${forProduct}`, { code: randomUUID(), discount: 15 });
  const tie = await discountNow();
  await service.call('PUT', `/v1/coupons/${forProduct}`, { code: randomUUID(), discount: 99, active: false });
  const inactive = await discountNow();
  setClock(start + 3_600_000);
  const lapsed = await discountNow();

  expect([alone, withStore, withProduct, tie, inactive, lapsed]).toEqual([
    { source: 'customer', percent: 15, couponId: null },
    { source: 'coupon', percent: 50, couponId: forStore },
    { source: 'coupon', percent: 20, couponId: forProduct },
    { source: 'coupon', percent: 15, couponId: forProduct },
    { source: 'coupon', percent: 50, couponId: forStore },
    { source: 'customer', percent: 15, couponId: null },
  ]);
});

test('a coupon counts until the customer has used it up, and the recipient’s coupon and discount never', async () => {
  const [uuid, other, productId] = [await newCustomer(), await newCustomer(), await create()];
  const limited = await coupon({ usesPerCustomer: 2 });
  await apply(uuid, limited);
  const percentAfter = async (uses: number) => {
    await write(put({ ...couponUsesKey(service.store, uuid, limited), uses }));
    return (await quote({ productId, buyerIdentifier: uuid })).body.discount.percent;
  };

  const percents = [await percentAfter(1), await percentAfter(2)];
  await write(put({ ...couponUsesKey(service.store, uuid, limited), uses: 0 }));
  await apply(uuid, await coupon(), productId);
  await service.call('PUT', `/v1/customers/${uuid}`, { discount: 5 });
  const gift = await quote({ productId, buyerIdentifier: other, recipientIdentifier: uuid });

  expect(percents).toEqual([20, 0]);
  expect(gift.body.discount).toEqual(noDiscount);
});

test('seals the coupon of which the sale will be a use: for its percentage, or for its commission alone', async () => {
  const productId = await create();
  const sealedFor = async (discount: number, ownerProfit: number) => {
    const uuid = await newCustomer();
    const id = await coupon({ discount, ownerProfit, usesPerCustomer: 3 });
    await apply(uuid, id);
    await service.call('PUT', `/v1/customers/${uuid}`, { discount: 30 });
    const { body } = await quote({ productId, buyerIdentifier: uuid });
    const terms = termsIn(body.quote, { productId, buyer: uuid, recipient: uuid, useCredit: false });
    return [id, terms] as const;
  };

  const [first, percentage] = await sealedFor(40, 0);
  const [second, commission] = await sealedFor(10, 25);
  const [, neither] = await sealedFor(10, 0);

  const used = { couponOwnerUuid: ada.uuid, usesPerCustomer: 3 };
  const none = { base: 100, credit: 0, restrictedCredit: 0 };
  expect([percentage, commission]).toEqual([
    {
      ...{ ...none, total: 60, toPay: 60, discount: { source: 'coupon', percent: 40, couponId: first } },
      coupon: { ...used, id: first, ownerProfit: 0 },
    },
    {
      ...{ ...none, total: 70, toPay: 70, discount: { source: 'customer', percent: 30, couponId: null } },
      coupon: { ...used, id: second, ownerProfit: 25 },
    },
  ]);
  expect(neither).not.toHaveProperty('coupon');
});

/** A customer with L$ 20 of restricted and L$ 30 of regular credit. L$ 5 and 10 of them come due soon. */
const rich = async (): Promise<string> => {
  const uuid = await newCustomer();
  await customerAction(uuid, 'increment-restricted-credit', { delta: 15 });
  await customerAction(uuid, 'increment-restricted-credit', { delta: 5, expiresAt: soon });
  await customerAction(uuid, 'increment-credit', { delta: 20 });
  await customerAction(uuid, 'increment-credit', { delta: 4, expiresAt: soon });
  await customerAction(uuid, 'increment-credit', { delta: 6, expiresAt: timestamp(start + 59_000) });
  return uuid;
};

test('credit pays where it is asked for: restricted first, only for oneself, and not where the product blocks it', async () => {
  const [uuid, productId] = [await rich(), await create()];
  const splitOf = async (fields: object, id = productId) => {
    const { body } = await quote({ productId: id, buyerIdentifier: uuid, useCredit: true, ...fields });
    return [body.restrictedCredit, body.credit, body.toPay];
  };

  const splits = [
    await splitOf({}),
    await splitOf({ useCredit: false }),
    await splitOf({ recipientIdentifier: uuid.toUpperCase() }),
    await splitOf({ recipientIdentifier: bob.uuid }),
    await splitOf({}, await create({ blockCredits: true })),
    await splitOf({}, await create({ price: 25 })),
  ];

  expect(splits).toEqual([
    [20, 30, 50],
    [0, 0, 100],
    [20, 30, 50],
    [0, 30, 70],
    [0, 0, 100],
    [20, 5, 0],
  ]);
});

test('credit that has come due never pays, before any sweep has closed it', async () => {
  const [uuid, productId] = [await rich(), await create()];
  const asked = { productId, buyerIdentifier: uuid, useCredit: true };
  const paidAt = async (millis: number) => {
    setClock(start + millis);
    const { body } = await quote(asked);
    return [body.restrictedCredit, body.credit];
  };

  const paid = [await paidAt(58_999), await paidAt(59_000), await paidAt(60_000)];

  expect(paid).toEqual([
    [20, 30],
    [20, 24],
    [15, 20],
  ]);
  expect((await service.call('GET', `/v1/customers/${uuid}/credit`)).body).toMatchObject({ credit: 30 });
});

const refusals: [refusal: string, make: () => Promise<{ buyer?: string; recipient?: string; productId: string }>][] = [
  [
    'banned',
    async () => {
      const buyer = await newCustomer();
      await customerAction(buyer, 'ban');
      return { buyer, productId: await create({ active: false }) };
    },
  ],
  [
    'banned',
    async () => {
      const recipient = await newCustomer();
      await customerAction(recipient, 'ban');
      return { recipient, productId: await create() };
    },
  ],
  ['inactive', async () => ({ productId: await create({ active: false, limited: true, availableAmount: 0 }) })],
  ['sold-out', async () => ({ productId: await create({ limited: true, availableAmount: 0 }) })],
];

test.each(refusals)('200s with the refusal %s, prices and no quote', async (refusal, make) => {
  const { buyer = bob.uuid, recipient = bob.uuid, productId } = await make();

  const { status, body } = await quote({ productId, buyerIdentifier: buyer, recipientIdentifier: recipient });

  expect([status, body]).toMatchObject([200, { refusal, total: 100, toPay: 100, quote: null, expiresAt: null }]);
});

test('200s with the refusal closed while the store is closed', async () => {
  const asked = { productId: await create({ active: false }), buyerIdentifier: bob.uuid };
  await service.call('POST', '/v1/store/actions/close');
  const closed = await quote(asked);
  await service.call('POST', '/v1/store/actions/open');

  expect([closed.body.refusal, (await quote(asked)).body.refusal]).toEqual(['closed', 'inactive']);
});

test('a limited product with one copy left is quoted', async () => {
  const { body } = await quote({
    productId: await create({ limited: true, availableAmount: 1 }),
    buyerIdentifier: bob.uuid,
  });

  expect([body.refusal, typeof body.quote]).toEqual([null, 'string']);
});

test('400s with every name that nobody has, before 404s for a product that the store does not have', async () => {
  const theirs = (await service.callOther('POST', '/v1/products', { name: 'Lamp', price: 1 })).body.id;
  const mine = await create();

  const answers = [
    await quote({ productId: unknownUuid, buyerIdentifier: 'nobody.one', recipientIdentifier: 'nobody.two' }),
    await quote({ productId: mine, buyerIdentifier: 'nobody.one' }),
    await quote({ productId: mine, buyerIdentifier: bob.uuid, recipientIdentifier: 'nobody.two' }),
    await quote({ productId: unknownUuid, buyerIdentifier: bob.uuid }),
    await quote({ productId: theirs, buyerIdentifier: bob.uuid }),
  ];

  const unknown = (field: string) => `${field} names a resident who does not exist.`;
  expect(answers.map(({ status, body }) => [status, body.errors])).toEqual([
    [400, [unknown('buyerIdentifier'), unknown('recipientIdentifier')]],
    [400, [unknown('buyerIdentifier')]],
    [400, [unknown('recipientIdentifier')]],
    [404, undefined],
    [404, undefined],
  ]);
});

test('400s with one message for each fault of the body', async () => {
  const { status, body } = await quote({ productId: 'x', recipientIdentifier: 'a..b', useCredit: 1 });

  expect([status, body.errors]).toEqual([
    400,
    [
      'productId must be a UUID.',
      'buyerIdentifier is required: it must be a username (first, first.last or first last) or an avatar UUID.',
      'recipientIdentifier must be a username (first, first.last or first last) or an avatar UUID.',
      'useCredit must be true or false.',
    ],
  ]);
});

test('a quote fixes its terms for the sale that it was made for, and for no other', async () => {
  const [{ uuid }, productId, otherProduct] = [await newResident(), await create(), await create()];
  const parties: Parties = { productId, buyer: uuid, recipient: bob.uuid, useCredit: true };
  const { body } = await quote({
    productId,
    buyerIdentifier: uuid,
    recipientIdentifier: bob.username,
    useCredit: true,
  });

  const opened = [
    termsIn(body.quote, parties),
    termsIn(body.quote, parties, timestamp(start + 119_999)),
    termsIn(body.quote, parties, timestamp(start + 120_000)),
    termsIn(body.quote, { ...parties, productId: otherProduct }),
    termsIn(body.quote, { ...parties, buyer: ada.uuid }),
    termsIn(body.quote, { ...parties, recipient: ada.uuid }),
    termsIn(body.quote, { ...parties, useCredit: false }),
    termsIn(body.quote, parties, timestamp(start), service.otherStore),
    // A false one stays so after its end, and a cursor is no quote.
    termsIn(body.quote, { ...parties, buyer: ada.uuid }, timestamp(start + 120_000)),
    termsIn((await service.call('GET', '/v1/products?limit=1')).body.pagination.nextCursor, parties),
    termsIn('', parties),
  ];

  const terms = { base: 100, discount: noDiscount, total: 100, credit: 0, restrictedCredit: 0, toPay: 100 };
  expect(opened.slice(0, 3)).toEqual([terms, terms, 'expired']);
  expect(new Set(opened.slice(3))).toEqual(new Set(['false']));
});

test('a quote with one changed character is false', async () => {
  const productId = await create();
  const { body } = await quote({ productId, buyerIdentifier: bob.uuid });
  const parties: Parties = { productId, buyer: bob.uuid, recipient: bob.uuid, useCredit: false };

  const changed = [...body.quote].map((letter, index) =>
    termsIn(`${body.quote.slice(0, index)}${letter === 'A' ? 'B' : 'A'}${body.quote.slice(index + 1)}`, parties),
  );

  expect(new Set(changed)).toEqual(new Set(['false']));
  expect(body.quote.length).toBeLessThan(1024);
});
