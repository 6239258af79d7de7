import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { createCoupon as importCoupon, never } from '../../lib/catalogue/coupons.ts';
import { timestamp } from '../../lib/clock.ts';
import { type CreditLot, changedIn, lotType } from '../../lib/credit/lot.ts';
import { listLots } from '../../lib/credit/lots.ts';
import type { CreditType } from '../../lib/credit/rules.ts';
import { type CreditItem, lastChangeOf } from '../../lib/credit/state.ts';
import { sweepDueLots } from '../../lib/credit/sweep.ts';
import { auditCredit } from '../../lib/operator/audit-credit.ts';
import { beginPayouts } from '../../lib/operator/begin-payouts.ts';
import { createStore } from '../../lib/operator/stores.ts';
import type { PayeeAnswer } from '../../lib/routes/payouts.ts';
import { scopes } from '../../lib/routes/scopes.ts';
import { getSale } from '../../lib/sale/sales.ts';
import { issueKey } from '../../lib/store/issued-keys.ts';
import type { Key } from '../../lib/table/schema.ts';
import { getMany } from '../../lib/table/table.ts';
import { startTestQueue } from '../../test/support/deliveries.ts';
import { catchUp, expectHistory, keepHistory } from '../../test/support/history.ts';
import {
  applyCoupon,
  type Choice,
  createCoupon,
  replaceCoupon,
  revokeCoupon,
  sameCode,
} from '../../test/support/model/coupons.ts';
import { change, expire, type ModelCommand } from '../../test/support/model/credit.ts';
import { begin, count, end, isClaimable, noPayouts } from '../../test/support/model/payouts.ts';
import {
  avatarOf,
  issueCard,
  type ModelCoupon,
  type ModelProduct,
  type ModelQuote,
  type ModelRequest,
  type ModelRules,
  type ModelSale,
  quote,
  redeem,
  redeemOwn,
  refund,
  type SaleModel,
  sell,
} from '../../test/support/model/sales.ts';
import { ada, bob, seedResidents } from '../../test/support/residents.ts';
import { type Call, setClock, startTestService } from '../../test/support/service.ts';
import { trials } from '../../test/support/volume.ts';
import { type Book, createBook } from '../workload/book.ts';
import { auditStore, moneyFaults } from '../workload/checks/books.ts';
import { type Extent, stateOfModel, stateOfTable } from '../workload/model/state.ts';
import { createTable, type Item } from '../workload/table.ts';

/**
 * One client of a store makes one random request after another. A model of the rules, written from the specification
 * alone, must give the same answer each time, and the table must hold what the model holds.
 */

/** Random runs: `STORE_MODEL_RUNS` asks for more, `STORE_MODEL_SEED` and `STORE_MODEL_PATH` replay one. */
const runs = Number(process.env.STORE_MODEL_RUNS ?? trials(12, 900));
const seed = Number(process.env.STORE_MODEL_SEED ?? Date.now() % 2 ** 31);
const limit = 1000;
const start = Date.parse('2028-02-29T22:00:00.000Z');

/** The service under test. Each run has a store and a book of its own. */
interface Real {
  call: Call;
  store: string;
  book: Book;
  /** Two residents, and an avatar that nobody can name. */
  avatars: string[];
  /** Two products, and one that the store does not have. */
  products: string[];
  /** The answered quotes, each with the model's quote. */
  quotes: { text: string; made: ModelQuote }[];
  /** The requests of all sales, in the order of their answers. */
  sales: { id: string; paid: number }[];
  /** The credit of each customer after the last command. */
  before: Map<string, Stored>;
}

interface Stored {
  item: CreditItem;
  lots: readonly CreditLot[];
}

/** A kind of command: `some` makes random arguments, and `of` makes the command of given ones. */
const command = <T>(
  name: string,
  args: fc.Arbitrary<T>,
  run: (args: T, model: SaleModel, real: Real) => Promise<unknown>,
) => {
  const of = (chosen: T): fc.AsyncCommand<SaleModel, Real> => ({
    check: () => true,
    run: async (model, real) => {
      await run(chosen, model, real);
      await compare(model, real);
    },
    toString: () => `${name} ${JSON.stringify(chosen)}`,
  });
  return { some: args.map(of), of };
};

/** The whole answer that the model expects. */
const answerOf = (id: string, sold: ModelSale, reference: string | null): object => {
  const { asked, terms, taken, bonus, cardId, ...sale } = sold;
  const { toPay, used, inGroup, ...prices } = terms;
  return {
    ...{ id, ...sale, ...prices, reference, productId: asked.productId },
    ...{ buyerUuid: asked.buyer, recipientUuid: asked.recipient, vendorUuid: null, changePaid: null },
    bonus: bonus?.amount ?? 0,
    at: timestamp(sale.at),
    refundedAt: sale.refundedAt && timestamp(sale.refundedAt),
    deliveryId: sale.state === 'refused' ? null : expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7/),
  };
};

const expiredOf = (lots: readonly CreditLot[]): number =>
  lots.reduce((sum, { state, remaining }) => sum + (state === 'expired' ? remaining : 0), 0);

/**
 * The changes of a command have the numbers up to the version, the lots have the numbers of their changes, and the last
 * change has its cause.
 */
const expectNumbered = (before: Stored | undefined, { item, lots }: Stored): void => {
  const [from, to] = [before?.item.creditVersion ?? 0, item.creditVersion ?? 0];
  const known = new Map(before?.lots.map((lot) => [lot.sk, lot]));
  const touched = lots.filter((lot) => {
    const earlier = known.get(lot.sk);
    if (!earlier || earlier.state !== lot.state || earlier.remaining !== lot.remaining) return true;
    expect(changedIn(lot)).toBe(changedIn(earlier));
    return false;
  });
  expect(touched.filter((lot) => changedIn(lot) <= from || changedIn(lot) > to)).toEqual([]);
  const { types = [], kind } = lastChangeOf(item) ?? {};
  if (to === from) expect(touched).toEqual([]);
  // A sale or its refund changes both types at once. Each change has its own number.
  for (const [place, { type, expired = 0 }] of to === from ? [] : types.entries()) {
    const ours = touched.filter((lot) => changedIn(lot) === to - types.length + 1 + place);
    expect(new Set(ours.map(lotType)).isSubsetOf(new Set([type]))).toBe(true);
    // The answer to a refund includes credit that was due when it came back. No lot is made for that.
    if (kind === 'refund') expect(expired).toBeGreaterThanOrEqual(expiredOf(ours));
    else expect(expired).toBe(expiredOf(ours));
  }
};

/** Compares the stored state of a store with the model. */
const compare = async (model: SaleModel, real: Real): Promise<void> => {
  const { store, avatars, products, before } = real;
  const coupons = model.coupons.map(({ id }) => id);
  const extent: Extent = { avatars, products: products.slice(0, 2), coupons, cards: Object.keys(model.cards) };
  const keys = new Map<string, Key>();
  const nameOf = (partition: string, sk: string): string => `${store}#${partition} ${sk}`;
  const asking = (partition: string, sk: string): undefined =>
    void keys.set(nameOf(partition, sk), { pk: `${store}#${partition}`, sk });
  stateOfTable({ item: asking, lotsOf: () => [], shares: () => [] }, extent);
  const items = await getMany<Item & Key>([...keys.values()], { consistent: true });
  const byName = new Map(items.map((item) => [`${item.pk} ${item.sk}`, item]));
  const item = (partition: string, sk: string): Item | undefined => byName.get(nameOf(partition, sk));
  const lots = new Map<string, readonly CreditLot[]>();
  for (const uuid of avatars) {
    const customer = item('CUSTOMER', uuid) as CreditItem | undefined;
    if (!customer) continue;
    const stored = { item: customer, lots: await listLots(store, uuid) };
    lots.set(uuid, stored.lots);
    expect(auditCredit(customer, stored.lots)).toEqual([]);
    expectNumbered(before.get(uuid), stored);
    before.set(uuid, stored);
  }
  // With one request at a time, no stock is divided.
  expect(stateOfTable({ item, lotsOf: (uuid) => lots.get(uuid) ?? [], shares: () => [] }, extent)).toEqual(
    stateOfModel(model, extent),
  );
  for (const uuid of avatars) {
    for (const { id, usesPerCustomer } of model.coupons)
      if (usesPerCustomer > 0) expect(model.avatars[uuid]?.uses[id] ?? 0).toBeLessThanOrEqual(usesPerCustomer);
  }
};

const many = fc.nat(9);
const known = fc.constantFrom(ada, bob);
const place = fc.nat(1);
const type = fc.constantFrom<CreditType>('regular', 'restricted');
// There are few durations, so that some lots expire together, and some by the time of a sale or a quote.
const life = fc.option(fc.constantFrom<number>(-1, 0, 1, 1000, 1000, 2000, 60_000, 120_000, 3_600_000), {
  nil: undefined,
  freq: 3,
});
const percent = fc.constantFrom<number>(0, 10, 33.3, 50, 99.99, 100);

/**
 * A request that names its avatars and product by their numbers. -1 leaves the recipient out, and 3 is a name that
 * nobody has.
 */
const wanted = fc.record({
  product: fc.constantFrom<number>(0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2),
  buyer: fc.constantFrom<number>(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3),
  recipient: fc.constantFrom<number>(-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 1, 1, 2, 3),
  useCredit: fc.constantFrom(true, true, false),
  inGroup: fc.boolean(),
});
type Wanted = typeof wanted extends fc.Arbitrary<infer T> ? T : never;

const askedOf = ({ avatars, products }: Real, { product, buyer, recipient, useCredit, inGroup }: Wanted) => {
  const nobody = 'nobody.here';
  const productId = products[product] ?? '';
  const body = {
    ...{ productId, buyerIdentifier: avatars[buyer] ?? nobody, useCredit, inGroup },
    ...(recipient >= 0 && { recipientIdentifier: avatars[recipient] ?? nobody }),
  };
  const uuidAt = (place: number): string | null => avatars[place] ?? null;
  const asked: ModelRequest = {
    ...{ productId, useCredit, inGroup, buyer: uuidAt(buyer) },
    recipient: uuidAt(recipient < 0 ? buyer : recipient),
  };
  return { body, asked };
};

const quoted = command('quote', wanted, async (request, model, real) => {
  const { body, asked } = askedOf(real, request);
  const expected = quote(model, asked);
  const { status, body: answer } = await real.call('POST', '/v1/quotes', body);
  expect(status).toBe(expected.status);
  if (expected.status !== 200) return;
  const { used, inGroup, ...terms } = expected.terms;
  const { bonus, refusal, quote: made } = expected;
  expect(answer).toEqual({
    ...{ ...terms, productId: asked.productId, buyerUuid: asked.buyer, recipientUuid: asked.recipient },
    ...{ bonus, refusal, quote: made && expect.any(String), expiresAt: made && timestamp(made.expiresAt) },
  });
  if (made) real.quotes.push({ text: answer.quote, made });
});

/** The payments for a sale, relative to what is left to pay. */
const payments = { exactly: 0, 'too much': 7, 'one too little': -1, nothing: Number.NEGATIVE_INFINITY };
const payment = fc.constantFrom<keyof typeof payments>(
  ...(['exactly', 'exactly', 'exactly', 'too much', 'one too little', 'nothing'] as const),
);

/** A quote is for its own request. The group tag that the buyer wears later does not count. */
const sameAsked = (a: ModelRequest, b: ModelRequest): boolean =>
  JSON.stringify({ ...a, inGroup: b.inGroup }) === JSON.stringify(b);

/** Sells with a numbered quote, or with a text that is not a quote. */
const sellNow = async (
  model: SaleModel,
  real: Real,
  request: Wanted,
  paying: keyof typeof payments,
  place?: number,
): Promise<void> => {
  const { body, asked } = askedOf(real, request);
  const { text = 'no quote', made } = real.quotes[place ?? -1] ?? {};
  const isFor = made && sameAsked(made.asked, asked);
  const lasting = made && model.now < made.expiresAt ? made : undefined;
  const byQuote = place === undefined ? undefined : isFor ? lasting : 'false';
  // The attempt works on a copy of the model, so it changes nothing.
  const { toPay } = sell(structuredClone(model), asked, 0, byQuote).terms;
  const paid = Math.max(0, toPay + payments[paying]);
  const reference = paid % 2 === 0 ? 'a reference' : null;
  const sent = {
    ...{ ...body, id: randomUUID(), paid },
    ...(place !== undefined && { quote: text }),
    ...(reference !== null && { reference }),
  };
  const expected = sell(model, asked, paid, byQuote);
  const { status, body: answer } = await real.call('POST', '/v1/sales', sent);
  expect([status, answer]).toEqual([201, answerOf(sent.id, expected, reference)]);
  model.sales[sent.id] = expected;
  real.sales.push(sent);
  const bonus = expected.bonus && { bonus: expected.bonus };
  real.book.sales.set(sent.id, { answer, message: '', asked: real.book.begin()(), ...bonus });
  if (expected.state === 'refused') return;
  // No answer names the card.
  const { giftCardId } = await getSale(real.store, sent.id);
  expect(giftCardId !== undefined).toBe((model.products[asked.productId]?.card ?? 0) > 0);
  if (giftCardId !== undefined) issueCard(model, expected, giftCardId);
};

const sold = command('sell', fc.tuple(wanted, payment), ([request, paying], model, real) =>
  sellNow(model, real, request, paying),
);

/** A sale with one of the last quotes, asked for as before except for `other`, or with a text that is not a quote. */
const soldAs = (other: fc.Arbitrary<Partial<Wanted>>) =>
  command('sell by quote', fc.tuple(many, payment, other), async ([index, paying, change], model, real) => {
    const { quotes, avatars, products } = real;
    const place = index === 9 ? quotes.length : quotes.length - 1 - (index % quotes.length);
    const { made } = quotes[place] ?? quotes[0] ?? {};
    if (!made) return;
    const { productId, buyer, recipient, useCredit, inGroup = false } = made.asked;
    const [from, to] = [buyer, recipient].map((uuid) => avatars.indexOf(uuid ?? '')) as [number, number];
    const meant = { product: products.indexOf(productId), buyer: from, recipient: to, useCredit, inGroup };
    await sellNow(model, real, { ...meant, ...change }, paying, place);
  });

const sales = [sold, soldAs(fc.constant({}))];

/** The same request again, or another request with the same id. */
const repeated = command(
  'repeat sale',
  fc.tuple(many, fc.constantFrom(true, true, false)),
  async ([index, isSame], _, { call, sales, book }) => {
    const body = sales[index % Math.max(1, sales.length)];
    if (!body) return;
    const before = book.sales.get(body.id)?.answer;
    const answer = await call('POST', '/v1/sales', { ...body, paid: body.paid + (isSame ? 0 : 1) });
    expect(answer.status).toBe(isSame ? 201 : 422);
    if (isSame) expect(answer.body).toEqual(before);
    expect((await call('GET', `/v1/sales/${body.id}`)).body).toEqual(before);
  },
);

/** Refunds a sale, perhaps twice. Only the first refund leaves its reference. */
const refunded = command(
  'refund sale',
  fc.tuple(many, fc.constantFrom(null, 'one', 'another'), fc.boolean()),
  async ([index, reference, payOut], model, { call, sales, book }) => {
    const { id } = sales[index % Math.max(1, sales.length)] ?? { id: '' };
    const [sale, expected] = [book.sales.get(id), model.sales[id]];
    if (!sale || !expected) return;
    const status = refund(model, expected, reference, payOut);
    const remarks = reference !== null && { reference, reason: 'Wrong colour' };
    const body = remarks || payOut ? { ...remarks, ...(payOut && { payOut }) } : undefined;
    const answer = await call('POST', `/v1/sales/${id}/actions/refund`, body);
    expect(answer.status).toBe(status);
    if (status !== 200) return;
    expect(answer.body).toEqual(answerOf(id, expected, sale.answer.reference));
    Object.assign(sale, { answer: answer.body, refund: sale.refund ?? book.begin()() });
  },
);

const amount = fc.oneof(
  fc.tuple(fc.constant('set' as const), fc.constantFrom(0, 1, 60, 300, limit, limit + 1)),
  ...[1, 1, -60, -300].map((min, index) =>
    fc.tuple(fc.constant('increment' as const), fc.integer({ min, max: [120, 400, -1, -1][index] as number })),
  ),
);

/** Changes credit through the endpoint for its kind and type. */
const credit = command(
  'credit',
  fc.tuple(amount, known, type, life),
  async ([[kind, amount], { uuid }, type, life], model, { call, book }) => {
    const expiresAt = life === undefined || amount < 0 ? undefined : timestamp(model.now + life);
    const order: ModelCommand =
      kind === 'set' ? { kind, credit: amount, expiresAt } : { kind, delta: amount, expiresAt };
    const isDone = change(avatarOf(model, uuid).credit[type], order, model.now, limit);
    const path = `/v1/customers/${uuid}/actions/${kind}-${type === 'restricted' ? 'restricted-' : ''}credit`;
    const reference = randomUUID();
    const { status, body } = await call('POST', path, { ...order, kind: undefined, reference });
    expect(status).toBe(isDone ? 200 : 400);
    const asked = { uuid, type, key: reference, command: order, ...book.begin()() };
    book.credit.push(isDone ? { ...asked, outcome: 'done', answer: body } : { ...asked, outcome: 'refused' });
  },
);

const granted = command(
  'grant a card',
  fc.tuple(known, fc.constantFrom(1, 40, 990), fc.boolean()),
  async ([{ uuid: owner }, credit, transfer], model, { call }) => {
    const path = `/v1/customers/${owner}/actions/grant-gift-card`;
    const { status, body } = await call('POST', path, { credit, transfer });
    expect(status).toBe(200);
    model.cards[body.id] = { owner, credit, transfer, isRedeemed: false };
  },
);

/** Notes that cards were redeemed. History has their credit under this name. */
const noteRedeemed = (book: Book, uuid: string, cards: readonly string[], delta: number, key: string): void => {
  for (const id of cards) book.redeemed.add(id);
  const asked = { uuid, type: 'regular' as const, key, ...book.begin()() };
  book.credit.push({ ...asked, command: { kind: 'increment', delta }, outcome: 'done' });
};

const redeemed = command('redeem', fc.tuple(many, known), async ([index, { uuid }], model, { call, book }) => {
  const ids = Object.keys(model.cards);
  const id = ids[index % Math.max(1, ids.length)];
  if (id === undefined) return;
  const isDone = redeem(model, id, uuid, undefined, limit);
  const { status } = await call('POST', `/v1/giftcards/${id}/actions/redeem`, { identifier: uuid });
  expect(status).toBe(isDone ? 200 : 400);
  if (isDone) noteRedeemed(book, uuid, [id], model.cards[id]?.worth ?? 0, id);
});

/** Redeems all of an owner's cards at once. History names a card that was redeemed alone. */
const redeemedOwn = command('redeem all cards of', known, async ({ uuid }, model, { call, book }) => {
  const done = redeemOwn(model, uuid, limit);
  const reference = randomUUID();
  const answer = await call('POST', `/v1/customers/${uuid}/giftcards/actions/redeem`, { reference });
  expect(answer.status).toBe(done ? 200 : 400);
  if (!done) return;
  const { cards, amount, more } = done;
  expect(answer.body).toMatchObject({ cards: cards.length, amount, more });
  const [only, ...others] = cards;
  if (only !== undefined) noteRedeemed(book, uuid, cards, amount, others.length > 0 ? reference : only);
});

const rules = command(
  'rules',
  fc.record({
    groupDiscount: percent,
    tiers: fc.constantFrom<ModelRules['tiers']>(
      [],
      [{ from: 100, percent: 12.5 }],
      [
        { from: 1, percent: 5 },
        { from: 150, percent: 60 },
      ],
    ),
    bonus: fc.record({
      percent,
      groupPercent: percent,
      type,
      expiresInDays: fc.constantFrom<number | null>(null, null, 1, 365),
    }),
  }),
  async (given, model, { call }) => {
    expect((await call('PUT', '/v1/store/rules', given)).status).toBe(200);
    model.rules = { ...given, limit };
  },
);

/** Has a product sell gift cards, or none. */
const cardProduct = command(
  'cards of product',
  fc.tuple(place, fc.constantFrom(0, 40, 990)),
  async ([product, credit], model, { call, products }) => {
    const id = products[product] as string;
    expect((await call('PUT', `/v1/products/${id}/giftcard`, { credit })).status).toBe(200);
    (model.products[id] as ModelProduct).card = credit;
  },
);

/** The coupon of a command, by its index among the existing ones. Now and then the index is out of range. */
const pick = fc.record({ by: fc.constantFrom('id', 'id', 'code', 'owner'), index: many });

const choiceOf = ({ coupons }: SaleModel, { by, index }: { by: string; index: number }): Choice => {
  const coupon = coupons[index % (coupons.length + 1)];
  if (by === 'owner') return { couponOwnerUuid: (index % 2 === 0 ? ada : bob).uuid };
  if (by === 'code') return { code: (index % 2 === 0 ? coupon?.code : coupon?.code.toUpperCase()) ?? 'no such code' };
  return { couponId: coupon?.id ?? 'ffffffff-0000-0000-0000-000000000000' };
};

/** Of two coupons made at the same time, neither would be the newest. */
const tick = (model: SaleModel, millis = 1): void => {
  model.now += millis;
  setClock(model.now);
};

const terms = { discount: percent, ownerProfit: fc.constantFrom<number>(0, 0, 7.5, 50) };
const code = fc.constantFrom<string>('spring', 'SPRING', 'Summer', 'summer', 'Été', 'ÉTÉ', 'x1', 'x\u200d1');

const createdCoupon = command(
  'coupon',
  fc.record({ code, owner: known, ...terms, active: fc.boolean() }),
  async ({ owner: { uuid }, ...body }, model, { call }) => {
    tick(model);
    const answer = await call('POST', '/v1/coupons', { ...body, ownerIdentifier: uuid });
    const made = { ...body, id: answer.body.id, owner: uuid, usesPerCustomer: 0, expiration: Date.parse(never) };
    expect(answer.status).toBe(createCoupon(model, made));
  },
);

/** Imports may bring a limit of uses and an end. */
const importedCoupon = command(
  'import coupon',
  fc.record({ code, owner: known, ...terms, usesPerCustomer: fc.nat(2), life }),
  async ({ owner, life, usesPerCustomer, ...fields }, model, { store }) => {
    tick(model);
    if (model.coupons.some(({ code }) => sameCode(code, fields.code))) return;
    const expiration = life === undefined ? never : timestamp(model.now + life);
    const given = { ...fields, active: true, bloggersSync: false };
    const { id } = await importCoupon(store, owner, given, { usesPerCustomer, expiration });
    const made = { ...fields, usesPerCustomer, id, owner: owner.uuid, active: true };
    createCoupon(model, { ...made, expiration: Date.parse(expiration) });
  },
);

const replacedCoupon = command(
  'replace coupon',
  fc.tuple(many, fc.record({ ...terms, code, active: fc.boolean() })),
  async ([index, fields], model, { call }) => {
    const coupon = model.coupons[index % Math.max(1, model.coupons.length)];
    if (!coupon) return;
    const { status } = await call('PUT', `/v1/coupons/${coupon.id}`, fields);
    expect(status).toBe(replaceCoupon(model, coupon.id, fields));
  },
);

/** The scope of an application: -1 is the whole store, other numbers are products. */
const scope = fc.integer({ min: -1, max: 1 });

const scopeOf = ({ products }: Real, place: number): { body: object; name: string } => {
  const productId = products[place];
  return productId === undefined
    ? { body: { scope: 0 }, name: 'store' }
    : { body: { scope: 1, productId }, name: productId };
};

const apply = command(
  'apply coupon',
  fc.tuple(pick, known, scope, fc.constantFrom(1, 1, 2, 24, 168)),
  async ([by, { uuid }, place, expiresInHours], model, real) => {
    const [choice, { body, name }] = [choiceOf(model, by), scopeOf(real, place)];
    const path = `/v1/customers/${uuid}/actions/apply-coupon`;
    const answer = await real.call('POST', path, { ...choice, ...body, expiresInHours });
    const { status, ...wanted } = applyCoupon(model, uuid, name, choice, expiresInHours);
    expect(answer.status).toBe(status);
    if ('expiresAt' in wanted) expect(answer.body).toMatchObject({ ...wanted, expiresAt: timestamp(wanted.expiresAt) });
  },
);

const revoke = command('revoke coupon', fc.tuple(pick, known, scope), async ([by, { uuid }, place], model, real) => {
  const [choice, { body, name }] = [choiceOf(model, by), scopeOf(real, place)];
  const answer = await real.call('POST', `/v1/customers/${uuid}/actions/revoke-coupon`, { ...choice, ...body });
  const { status, ...wanted } = revokeCoupon(model, uuid, name, choice);
  expect(answer.status).toBe(status);
  if ('revoked' in wanted) expect(answer.body).toEqual(wanted);
});

const discounted = command(
  'discount',
  fc.tuple(known, fc.constantFrom(0, 10, 20, 50)),
  async ([{ uuid }, discount], model, { call }) => {
    expect((await call('PUT', `/v1/customers/${uuid}`, { discount })).status).toBe(200);
    avatarOf(model, uuid).discount = discount;
  },
);

const banned = command(
  'ban',
  fc.tuple(known, fc.constantFrom(false, false, true)),
  async ([{ uuid }, isBanned], model, { call }) => {
    expect((await call('POST', `/v1/customers/${uuid}/actions/${isBanned ? 'ban' : 'unban'}`)).status).toBe(200);
    avatarOf(model, uuid).isBanned = isBanned;
  },
);

const opened = command('open', fc.constantFrom(true, true, false), async (isOpen, model, { call }) => {
  expect((await call('POST', `/v1/store/actions/${isOpen ? 'open' : 'close'}`)).status).toBe(200);
  model.isOpen = isOpen;
});

const product = fc.record({
  price: fc.constantFrom<number>(0, 1, 99, 100, 100, 250),
  percentOff: fc.constantFrom<number>(0, 0, 12.5, 50),
  active: fc.constantFrom(true, true, true, true, false),
  limited: fc.boolean(),
  stock: fc.nat(2),
  blockCredits: fc.constantFrom(false, false, false, true),
  shares: fc.constantFrom<number[]>([], [33.3], [40, 60], [100]),
});
type ProductChange = typeof product extends fc.Arbitrary<infer T> ? T : never;

/** Replaces a product: its price, its stock, and whether and how it is sold. */
const putProduct = async (
  [place, change]: [number, ProductChange],
  model: SaleModel,
  { call, products }: Real,
): Promise<void> => {
  const { percentOff, shares: percents, stock, ...fields } = change;
  const [id, until] = [products[place] as string, model.now + 60_000];
  const shares = percents.map((percent, index) => ({ userUuid: ([bob, ada][index] ?? bob).uuid, percent }));
  const { status } = await call('PUT', `/v1/products/${id}`, {
    ...{ ...fields, name: 'Lamp', availableAmount: stock, profitShares: shares },
    discount: { value: percentOff, type: 0, endDate: timestamp(until) },
  });
  expect(status).toBe(200);
  const card = model.products[id]?.card ?? 0;
  model.products[id] = { ...fields, stock, shares, card, off: { percent: percentOff, until } };
};

const wait = command(
  'wait',
  fc.constantFrom(1, 999, 1000, 1001, 2000, 59_999, 60_000, 119_999, 120_000, 3_600_000, 86_400_000),
  async (millis, model) => tick(model, millis),
);

/** Moves the clock to the next end of a coupon or an application, or to a millisecond before it. */
const waitForEnd = command('wait for an end, less', place, async (early, model) => {
  const applications = Object.values(model.avatars).flatMap((avatar) => Object.values(avatar.applications));
  const ends = [...applications.map(({ expiresAt }) => expiresAt), ...model.coupons.map((one) => one.expiration)];
  const next = Math.min(...ends.filter((end) => end > model.now + 1 && end < model.now + 30 * 86_400_000));
  if (Number.isFinite(next)) tick(model, next - model.now - early);
});

const sweep = command('sweep', fc.constant(undefined), async (_, model) => {
  const closed = Object.values(model.avatars).flatMap(({ credit }) =>
    [credit.regular, credit.restricted].map((customer) => expire(customer, model.now).lots),
  );
  const report = await sweepDueLots('sweep');
  expect(report).toMatchObject({ failed: 0, finished: true });
  // Stores of earlier runs may also have had due lots.
  expect(report.lots).toBeGreaterThanOrEqual(closed.reduce((sum, lots) => sum + lots, 0));
});

const ofCredit = [credit, credit, credit, credit, credit];
const ofCoupons = [createdCoupon, importedCoupon, replacedCoupon, apply, apply, revoke, waitForEnd];
const passingTime = [wait, sweep];
const all = [
  ...[...sales, ...sales, quoted, quoted, soldAs(fc.record({ recipient: fc.nat(2) })), repeated, refunded, refunded],
  ...[...ofCredit, ...ofCoupons, ...passingTime, granted, redeemed, redeemedOwn, rules, cardProduct],
  ...[discounted, banned, opened, command('product', fc.tuple(place, product), putProduct)],
];
// The rules of credit and of coupons show best when nothing else happens.
const commands = fc.oneof(
  ...[all, [...ofCredit, ...passingTime], [...ofCoupons, ...passingTime]].map((kinds) =>
    fc.commands(
      kinds.map(({ some }) => some),
      { maxCommands: 40, size: 'max' },
    ),
  ),
);

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  process.env.CREDIT_LIMIT = String(limit);
  setClock(start);
  await startTestQueue();
  service = await startTestService();
  await keepHistory();
  await seedResidents();
});

/**
 * A store with two products, the second with a limited stock. `isRich` gives both residents credit of both types, and
 * some of it ends soon. It also gives them a coupon that each can use once, and the store rules.
 */
const setUp = async (now: number, isRich: boolean): Promise<{ model: SaleModel; real: Real }> => {
  setClock(now);
  const { id: store } = await createStore('Model store');
  await beginPayouts(store, false);
  const call = service.callAs((await issueKey({ store, name: 'model', scopes, stage: 'test' })).text);
  const fields = { price: 100, active: true, limited: false, blockCredits: false, percentOff: 0, shares: [33.3] };
  const products = [];
  for (const name of ['One', 'Two']) products.push((await call('POST', '/v1/products', { name, price: 1 })).body.id);
  const avatars = [ada.uuid, bob.uuid, randomUUID()];
  const real: Real = {
    ...{ call, store, avatars, products: [...products, randomUUID()], book: createBook() },
    ...{ quotes: [], sales: [], before: new Map() },
  };
  const model: SaleModel = { now, isOpen: true, avatars: {}, products: {}, coupons: [], cards: {}, sales: {} };
  await putProduct([0, { ...fields, stock: 0 }], model, real);
  await putProduct([1, { ...fields, limited: true, stock: 2 }], model, real);
  if (!isRich) return { model, real };
  const bonus = { percent: 10, groupPercent: 50, type: 'regular' as const, expiresInDays: 1 };
  const terms = { discount: 20, ownerProfit: 7.5, usesPerCustomer: 1 };
  const commands = [
    rules.of({ groupDiscount: 10, tiers: [{ from: 100, percent: 33.3 }], bonus }),
    importedCoupon.of({ ...terms, code: 'once', owner: ada, life: undefined }),
    ...[ada, bob].flatMap((who) => [
      apply.of([{ by: 'id', index: 0 }, who, -1, 1]),
      credit.of([['increment', 30], who, 'regular', undefined]),
      credit.of([['increment', 20], who, 'regular', 90_000]),
      credit.of([['increment', 25], who, 'restricted', 60_000]),
    ]),
  ];
  for (const one of commands) await one.run(model, real);
  return { model, real };
};

/** The lists show what was answered, over the whole store. */
const expectLists = async (model: SaleModel, { call, book }: Real): Promise<void> => {
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  const sales = (await call('GET', '/v1/sales?limit=1000')).body.data;
  expect(sales.sort(byId)).toEqual([...book.sales.values()].map(({ answer }) => answer).sort(byId));
  const coupons = (await call('GET', '/v1/coupons?limit=1000')).body.data as ModelCoupon[];
  const shown = (all: readonly ModelCoupon[]) => all.map(({ id, code, active }) => ({ id, code, active })).sort(byId);
  expect(shown(coupons)).toEqual(shown(model.coupons));
};

/** The store owes the shares of its sales and the refunds that are to be paid out, and pays each debt once. */
const expectPayouts = async ({ sales, now }: SaleModel, { call, avatars }: Real): Promise<void> => {
  const model = noPayouts();
  const shared = Object.values(sales).flatMap(({ shares }) => shares.map(({ residentUuid }) => residentUuid));
  const payees = new Set([...avatars, ...shared]);
  for (const [id, sale] of Object.entries(sales))
    for (const cause of ['shares', 'refund']) for (const uuid of payees) count(model, sale, [id, cause, uuid]);
  const compareAccounts = async (): Promise<void> => {
    const { data } = (await call('GET', '/v1/payees?limit=1000')).body;
    const accounts = data.map(({ residentUuid, username, ...account }: PayeeAnswer) => [residentUuid, account]);
    expect(Object.fromEntries(accounts)).toEqual(
      Object.fromEntries(Object.entries(model.payees).map(([uuid, { failedAt, ...account }]) => [uuid, account])),
    );
  };
  await compareAccounts();
  for (let number = 0; ; number++) {
    const { payout } = (await call('POST', '/v1/payouts/actions/claim', { hold: 0 })).body;
    if (!payout) break;
    const { id, residentUuid: payee, amount } = payout;
    expect([isClaimable(model, payee, now), amount]).toEqual([true, model.payees[payee]?.owed]);
    begin(model, id, { payee, amount, state: 'claimed' });
    const result = (['paid', 'failed', 'unknown'] as const)[number % 3] ?? 'paid';
    expect((await call('POST', `/v1/payouts/${id}/actions/report`, { result })).body.state).toBe(result);
    end(model, id, result, 'report', now);
    await compareAccounts();
  }
  expect(Object.keys(model.payees).filter((uuid) => isClaimable(model, uuid, now))).toEqual([]);
};

test(
  `a store answers and keeps its books as the rules say, and payouts, history, events and days tell of it (seed ${seed})`,
  async () => {
    let now = start;
    const all: Real[] = [];
    await fc.assert(
      fc.asyncProperty(fc.boolean(), commands, async (isRich, history) => {
        const { model, real } = await setUp(now, isRich);
        await fc.asyncModelRun(() => ({ model, real }), history);
        await expectLists(model, real);
        all.push(real);
        now = model.now;
        // History of thousands of runs at once would be more than the engine takes in time.
        await catchUp();
        await expectPayouts(model, real);
      }),
      { numRuns: runs, seed, ...(process.env.STORE_MODEL_PATH && { path: process.env.STORE_MODEL_PATH }) },
    );

    const items = Map.groupBy(await expectHistory(), ({ pk }) => String(pk).split('#')[0]);

    for (const { store, book } of all) {
      const table = createTable(store);
      for (const item of items.get(store) ?? []) table.add(item);
      expect([...moneyFaults(table, book, limit), ...(await auditStore(store))]).toEqual([]);
    }
  },
  10 * 60_000 * Math.max(1, runs / 300),
);
