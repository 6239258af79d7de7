import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { issueKey } from '../../cli/deployment/api-keys.ts';
import { createStore } from '../../cli/deployment/stores.ts';
import { auditCredit } from '../../cli/kinds/audit-credit.ts';
import { timestamp } from '../../lib/clock.ts';
import type { HistoryItem } from '../../lib/credit/history.ts';
import { listLots } from '../../lib/credit/lots.ts';
import type { CreditItem } from '../../lib/credit/state.ts';
import { sweepDueLots } from '../../lib/credit/sweep.ts';
import { scopes } from '../../lib/routes/route.ts';
import type { Sale } from '../../lib/routes/sales.ts';
import { couponUsesKey } from '../../lib/store/coupon-uses.ts';
import { createCoupon, never } from '../../lib/store/coupons.ts';
import { customerKey } from '../../lib/store/customers.ts';
import { productKey } from '../../lib/store/memberships.ts';
import { ownedKey } from '../../lib/store/owned.ts';
import { spendKey } from '../../lib/store/spend.ts';
import type { Key } from '../../lib/table/schema.ts';
import { getMany } from '../../lib/table/table.ts';
import { startTestQueue } from '../../test/support/deliveries.ts';
import { catchUp, expectHistory, keepHistory } from '../../test/support/history.ts';
import { ada, bob, seedResidents } from '../../test/support/residents.ts';
import { type Call, setClock, startTestService } from '../../test/support/service.ts';
import { volume } from '../../test/support/volume.ts';
import { balanceOf, expire, increment, set } from './credit-model.ts';
import {
  type CreditType,
  type ModelCoupon,
  type ModelProduct,
  type ModelQuote,
  type ModelRequest,
  type ModelSale,
  newAvatar,
  quote,
  refund,
  type SaleModel,
  sell,
} from './sale-model.ts';

/** Random runs: `SALE_MODEL_RUNS` asks for more, `SALE_MODEL_SEED` and `SALE_MODEL_PATH` replay one. */
const runs = Number(process.env.SALE_MODEL_RUNS ?? volume(8, 100));
const seed = Number(process.env.SALE_MODEL_SEED ?? Date.now() % 2 ** 31);
const limit = 1000;
const start = Date.parse('2028-02-29T22:00:00.000Z');

/** A sale that was answered, with its request. */
interface Answered {
  body: { id: string; paid: number };
  answer: Sale;
}

interface Card {
  id: string;
  owner: number;
  credit: number;
  isOver: boolean;
}

interface Model extends SaleModel {
  quotes: ModelQuote[];
  sales: ModelSale[];
  cards: Card[];
}

/** The service under test. Each run has a store of its own. */
interface Real {
  call: Call;
  store: string;
  /** Two residents, and an avatar whom nobody can name. */
  avatars: string[];
  /** Two products, and one that the store does not have. */
  products: string[];
  quotes: string[];
  sales: Answered[];
  /** The version of each customer's credit whose books add up. */
  audited: Map<string, number>;
}

type Command = fc.AsyncCommand<Model, Real>;

const command = (
  text: string,
  run: (model: Model, real: Real) => Promise<void>,
  check: (model: Readonly<Model>) => boolean = () => true,
): Command => ({
  check,
  run: async (model, real) => {
    await run(model, real);
    await compare(model, real);
  },
  toString: () => text,
});

const stampOf = (time: number): string => timestamp(time);
const orNull = (time: number | null): string | null => (time === null ? null : stampOf(time));

/** The whole answer that the model expects. */
const answerOf = (id: string, { asked, terms, taken, ...sale }: ModelSale, reference: string | null): object => {
  const { toPay, used, ...prices } = terms;
  return {
    ...{ id, ...sale, ...prices, reference, productId: asked.productId },
    ...{ buyerUuid: asked.buyer, recipientUuid: asked.recipient },
    at: stampOf(sale.at),
    refundedAt: orNull(sale.refundedAt),
    deliveryId: sale.state === 'refused' ? null : expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7/),
  };
};

/** Compares the stored state of a store with the model, and holds it to the invariants of sales. */
const compare = async (model: Model, real: Real): Promise<void> => {
  const { store, avatars, products } = real;
  const keyText = ({ pk, sk }: Key): string => `${pk} ${sk}`;
  const owned = avatars.flatMap((uuid) => products.map((id) => ownedKey(store, uuid, id)));
  const uses = avatars.flatMap((uuid) => model.coupons.map(({ id }) => couponUsesKey(store, uuid, id)));
  const keys = [
    ...avatars.flatMap((uuid) => [customerKey(store, uuid), spendKey(store, uuid)]),
    ...products.map((id) => productKey(store, id)),
    ...owned,
    ...uses,
  ];
  const items = await getMany<Key>(keys, { consistent: true });
  const byKey = new Map(items.map((item) => [keyText(item), item]));
  // biome-ignore lint/suspicious/noExplicitAny: items of several kinds.
  const at = (key: Key): Record<string, any> => byKey.get(keyText(key)) ?? {};
  const now = new Date(model.now).toISOString();
  for (const uuid of avatars) {
    const known = model.avatars[uuid] ?? newAvatar();
    const item = at(customerKey(store, uuid));
    const { credit = 0, restrictedCredit = 0, isBanned = false, discount = 0, sum = 0 } = item;
    expect({ credit, restrictedCredit, isBanned, discount, sum }).toEqual({
      credit: balanceOf(known.credit.regular),
      restrictedCredit: balanceOf(known.credit.restricted),
      isBanned: known.isBanned,
      discount: known.discount,
      sum: known.spend.sum,
    });
    if (item.pk && real.audited.get(uuid) !== item.creditVersion) {
      expect(auditCredit(item as unknown as CreditItem, await listLots(store, uuid))).toEqual([]);
      real.audited.set(uuid, item.creditVersion);
    }
    const { sum: spent = 0, totalOwned = 0, days = {} } = at(spendKey(store, uuid));
    const daysSpent = Object.fromEntries(Object.entries(days).filter(([, amount]) => amount !== 0));
    const knownDays = Object.fromEntries(Object.entries(known.spend.days).filter(([, amount]) => amount !== 0));
    expect([spent, totalOwned, daysSpent]).toEqual([known.spend.sum, known.spend.totalOwned, knownDays]);
    for (const id of products) {
      const { quantity = 0, boughtAt } = at(ownedKey(store, uuid, id));
      const has = known.owned[id];
      expect([quantity, boughtAt]).toEqual([has?.quantity ?? 0, has && stampOf(has.boughtAt)]);
    }
    for (const { id, usesPerCustomer } of model.coupons) {
      const used = at(couponUsesKey(store, uuid, id)).uses ?? 0;
      expect(used).toBe(known.uses[id] ?? 0);
      if (usesPerCustomer > 0) expect(used).toBeLessThanOrEqual(usesPerCustomer);
    }
    expectSums(real, uuid, spent, (id) => at(ownedKey(store, uuid, id)).quantity ?? 0, now);
  }
  for (const [id, product] of Object.entries(model.products)) {
    const { availableAmount } = at(productKey(store, id));
    expect(availableAmount).toBe(product.stock);
    expect(availableAmount).toBeGreaterThanOrEqual(0);
  }
};

/** The service's own answers explain the spend and the products of an avatar, and where all money and credit went. */
const expectSums = (
  { sales, products }: Real,
  uuid: string,
  spent: number,
  quantityOf: (productId: string) => number,
  now: string,
): void => {
  const lasting = sales.map(({ answer }) => answer).filter(({ state }) => state === 'completed');
  const bought = lasting.filter(({ buyerUuid }) => buyerUuid === uuid);
  expect(spent).toBe(bought.reduce((sum, { paid, refund }) => sum + paid - refund, 0));
  for (const id of products)
    expect(quantityOf(id)).toBe(
      lasting.filter(({ recipientUuid, productId }) => recipientUuid === uuid && productId === id).length,
    );
  for (const { state, paid, refund, change, shares, total, credit, restrictedCredit, at } of sales.map(
    ({ answer }) => answer,
  )) {
    const merchant = paid - refund - shares.reduce((sum, { amount }) => sum + amount, 0);
    if (state === 'completed') expect([paid - refund + credit + restrictedCredit, change]).toEqual([total, refund]);
    else expect(refund).toBe(paid);
    if (state !== 'refunded') expect(merchant).toBeGreaterThanOrEqual(0);
    expect(at <= now).toBe(true);
  }
};

/**
 * A request that names its avatars and product by their places. -1 leaves the recipient out, 3 is a name that nobody
 * has.
 */
interface Wanted {
  product: number;
  buyer: number;
  recipient: number;
  useCredit: boolean;
}

const askedOf = ({ avatars, products }: Real, { product, buyer, recipient, useCredit }: Wanted) => {
  const nobody = 'nobody.here';
  const productId = products[product] ?? '';
  const body = {
    ...{ productId, buyerIdentifier: avatars[buyer] ?? nobody, useCredit },
    ...(recipient >= 0 && { recipientIdentifier: avatars[recipient] ?? nobody }),
  };
  const uuidAt = (place: number): string | null => avatars[place] ?? null;
  const asked: ModelRequest = {
    ...{ productId, useCredit, buyer: uuidAt(buyer) },
    recipient: uuidAt(recipient < 0 ? buyer : recipient),
  };
  return { body, asked };
};

const quoteCommand = (wanted: Wanted): Command =>
  command(`quote ${JSON.stringify(wanted)}`, async (model, real) => {
    const { body, asked } = askedOf(real, wanted);
    const expected = quote(model, asked);
    const { status, body: answer } = await real.call('POST', '/v1/quotes', body);
    expect(status).toBe(expected.status);
    if (expected.status !== 200) return;
    const { used, ...terms } = expected.terms;
    expect(answer).toEqual({
      ...{ ...terms, productId: asked.productId, buyerUuid: asked.buyer, recipientUuid: asked.recipient },
      ...{ refusal: expected.refusal, quote: expected.quote && expect.any(String) },
      expiresAt: expected.quote && stampOf(expected.quote.expiresAt),
    });
    if (expected.quote === null) return;
    model.quotes.push(expected.quote);
    real.quotes.push(answer.quote);
  });

/** How a sale is paid, relative to what is left to pay. */
const payments = { exactly: 0, 'too much': 7, 'one too little': -1, nothing: Number.NEGATIVE_INFINITY };

const sameAsked = (a: ModelRequest, b: ModelRequest): boolean => JSON.stringify(a) === JSON.stringify(b);

const sellNow = async (model: Model, real: Real, wanted: Wanted, payment: keyof typeof payments, place?: number) => {
  const { body, asked } = askedOf(real, wanted);
  const made = place === undefined ? undefined : model.quotes[place];
  const isFor = made && sameAsked(made.asked, asked);
  const lasts = made && model.now < made.expiresAt;
  const quoted =
    made === undefined ? (place === undefined ? undefined : 'false') : isFor ? (lasts ? made : undefined) : 'false';
  // Nothing is changed by an attempt at a copy of the model.
  const { toPay } = sell(structuredClone(model), asked, 0, quoted).terms;
  const paid = Math.max(0, toPay + payments[payment]);
  const reference = paid % 2 === 0 ? 'a reference' : null;
  const request = {
    ...{ ...body, id: randomUUID(), paid },
    ...(place !== undefined && { quote: real.quotes[place] ?? 'no quote' }),
    ...(reference !== null && { reference }),
  };
  const expected = sell(model, asked, paid, quoted);
  const { status, body: answer } = await real.call('POST', '/v1/sales', request);
  expect([status, answer]).toEqual([201, answerOf(request.id, expected, reference)]);
  model.sales.push(expected);
  real.sales.push({ body: request, answer });
};

const saleCommand = (wanted: Wanted, payment: keyof typeof payments): Command =>
  command(`sell ${JSON.stringify(wanted)}, paying ${payment}`, (model, real) => sellNow(model, real, wanted, payment));

/**
 * A sale by one of the last quotes, or by a text that is none; `other` differs from the sale that the quote was made
 * for.
 */
const quotedSaleCommand = (index: number, payment: keyof typeof payments, other: Partial<Wanted>): Command =>
  command(
    `sell by quote ${index}, ${JSON.stringify(other)}, paying ${payment}`,
    async (model, real) => {
      const place = index === 9 ? model.quotes.length : model.quotes.length - 1 - (index % model.quotes.length);
      const { asked } = (model.quotes[place] ?? model.quotes[0]) as ModelQuote;
      const { productId, buyer, recipient, useCredit } = asked;
      const placeOf = (uuid: string | null): number => real.avatars.indexOf(uuid ?? '');
      const meant: Wanted = {
        product: real.products.indexOf(productId),
        buyer: placeOf(buyer),
        recipient: placeOf(recipient),
        useCredit,
      };
      await sellNow(model, real, { ...meant, ...other }, payment, place);
    },
    ({ quotes }) => quotes.length > 0,
  );

/** The same request again, or another one under the same id. */
const repeatCommand = (index: number, isSame: boolean): Command =>
  command(`repeat sale ${index}${isSame ? '' : ' with another body'}`, async (_, { call, sales }) => {
    const sale = sales[index % Math.max(1, sales.length)];
    if (!sale) return;
    const answer = await call('POST', '/v1/sales', { ...sale.body, paid: sale.body.paid + (isSame ? 0 : 1) });
    expect(answer.status).toBe(isSame ? 201 : 422);
    if (isSame) expect(answer.body).toEqual(sale.answer);
    expect((await call('GET', `/v1/sales/${sale.body.id}`)).body).toEqual(sale.answer);
  });

/** Refunds a sale, perhaps again. Only the first refund leaves its reference. */
const refundCommand = (index: number, reference: string | null): Command =>
  command(`refund sale ${index}, ${reference}`, async (model, { call, sales }) => {
    const place = index % Math.max(1, sales.length);
    const [sale, expected] = [sales[place], model.sales[place]];
    if (!sale || !expected) return;
    const status = refund(model, expected, reference);
    const body = reference === null ? undefined : { reference, reason: 'Wrong colour' };
    const answer = await call('POST', `/v1/sales/${sale.body.id}/actions/refund`, body);
    expect(answer.status).toBe(status);
    if (status !== 200) return;
    expect(answer.body).toEqual(answerOf(sale.body.id, expected, sale.answer.reference));
    sale.answer = answer.body;
  });

const holderOf = (model: Model, real: Real, who: number, type: CreditType) => {
  const uuid = real.avatars[who] as string;
  model.avatars[uuid] ??= newAvatar();
  return model.avatars[uuid].credit[type];
};

/** Changes credit through the endpoint of its kind and type. */
const creditCommand = (
  kind: 'set' | 'increment',
  who: number,
  type: CreditType,
  amount: number,
  life: number | undefined,
): Command =>
  command(`${kind} ${type} of ${who}: ${amount} for ${life}`, async (model, real) => {
    const expiresAt = life === undefined || amount < 0 ? undefined : model.now + life;
    const change = kind === 'set' ? set : increment;
    const accepted = change(holderOf(model, real, who, type), amount, expiresAt, model.now, limit);
    const action = `${kind}-${type === 'restricted' ? 'restricted-' : ''}credit`;
    const { status } = await real.call('POST', `/v1/customers/${real.avatars[who]}/actions/${action}`, {
      [kind === 'set' ? 'credit' : 'delta']: amount,
      ...(expiresAt !== undefined && { expiresAt: stampOf(expiresAt) }),
    });
    expect(status).toBe(accepted ? 200 : 400);
  });

const grantCommand = (who: number, credit: number): Command =>
  command(`grant ${who} a card of ${credit}`, async (model, real) => {
    const path = `/v1/customers/${real.avatars[who]}/actions/grant-gift-card`;
    const { status, body } = await real.call('POST', path, { credit });
    expect(status).toBe(200);
    model.cards.push({ id: body.id, owner: who, credit, isOver: false });
  });

const redeemCommand = (index: number, who: number): Command =>
  command(`redeem card ${index} for ${who}`, async (model, real) => {
    const card = model.cards[index % Math.max(1, model.cards.length)];
    if (!card) return;
    const holder = holderOf(model, real, who, 'regular');
    const accepted = !card.isOver && card.owner === who && increment(holder, card.credit, undefined, model.now, limit);
    const path = `/v1/giftcards/${card.id}/actions/redeem`;
    const { status } = await real.call('POST', path, { identifier: real.avatars[who] });
    expect(status).toBe(accepted ? 200 : 400);
    if (accepted) card.isOver = true;
  });

const couponCommand = (
  fields: Pick<ModelCoupon, 'discount' | 'ownerProfit' | 'usesPerCustomer'>,
  life?: number,
): Command =>
  command(`a coupon ${JSON.stringify(fields)} for ${life}`, async (model, { store }) => {
    const { usesPerCustomer, ...rest } = fields;
    const expiration = life === undefined ? never : stampOf(model.now + life);
    const given = { ...rest, code: randomUUID(), active: true, bloggersSync: false };
    const { id } = await createCoupon(store, ada, given, { usesPerCustomer, expiration });
    model.coupons.push({ ...fields, id, owner: ada.uuid, active: true, expiration: Date.parse(expiration) });
  });

/** Replaces the fields of a coupon that PUT replaces. */
const replaceCouponCommand = (
  index: number,
  fields: Pick<ModelCoupon, 'discount' | 'ownerProfit' | 'active'>,
): Command =>
  command(`replace coupon ${index}: ${JSON.stringify(fields)}`, async (model, { call }) => {
    const coupon = model.coupons[index % Math.max(1, model.coupons.length)];
    if (!coupon) return;
    const { status } = await call('PUT', `/v1/coupons/${coupon.id}`, { ...fields, code: randomUUID() });
    expect(status).toBe(200);
    Object.assign(coupon, fields);
  });

const applyCommand = (index: number, who: number, product: number): Command =>
  command(`apply coupon ${index} to ${who} for ${product}`, async (model, real) => {
    const coupon = model.coupons[index % Math.max(1, model.coupons.length)];
    const [uuid, productId] = [real.avatars[who] as string, real.products[product]];
    if (!coupon) return;
    const scope = product < 0 ? { scope: 0 } : { scope: 1, productId };
    const body = { ...scope, couponId: coupon.id, expiresInHours: 1 };
    const { status } = await real.call('POST', `/v1/customers/${uuid}/actions/apply-coupon`, body);
    const isUsable = coupon.active && model.now < coupon.expiration;
    expect(status).toBe(isUsable ? 200 : 400);
    if (!isUsable) return;
    model.avatars[uuid] ??= newAvatar();
    model.avatars[uuid].applications[productId ?? 'store'] = {
      couponId: coupon.id,
      expiresAt: model.now + 3_600_000,
    };
  });

const customerCommand = (who: number, discount: number): Command =>
  command(`discount of ${who}: ${discount}`, async (model, real) => {
    const uuid = real.avatars[who] as string;
    expect((await real.call('PUT', `/v1/customers/${uuid}`, { discount })).status).toBe(200);
    model.avatars[uuid] ??= newAvatar();
    model.avatars[uuid].discount = discount;
  });

const banCommand = (who: number, isBanned: boolean): Command =>
  command(`${isBanned ? 'ban' : 'unban'} ${who}`, async (model, real) => {
    const uuid = real.avatars[who] as string;
    const path = `/v1/customers/${uuid}/actions/${isBanned ? 'ban' : 'unban'}`;
    expect((await real.call('POST', path)).status).toBe(200);
    model.avatars[uuid] ??= newAvatar();
    model.avatars[uuid].isBanned = isBanned;
  });

const openCommand = (isOpen: boolean): Command =>
  command(isOpen ? 'open' : 'close', async (model, { call }) => {
    expect((await call('POST', `/v1/store/actions/${isOpen ? 'open' : 'close'}`)).status).toBe(200);
    model.isOpen = isOpen;
  });

type ProductChange = Omit<ModelProduct, 'off' | 'shares'> & { percentOff: number; shares: number[] };

/** Replaces a product: its price, its stock, and whether and how it is sold. */
const putProduct = async (model: Model, { call, products }: Real, product: number, change: ProductChange) => {
  const { percentOff, shares: percents, stock, ...fields } = change;
  const until = model.now + 60_000;
  const shares = percents.map((percent, index) => ({ userUuid: ([bob, ada][index] ?? bob).uuid, percent }));
  const { status } = await call('PUT', `/v1/products/${products[product]}`, {
    ...{ ...fields, name: 'Lamp', availableAmount: stock, profitShares: shares },
    discount: { value: percentOff, type: 0, endDate: stampOf(until) },
  });
  expect(status).toBe(200);
  model.products[products[product] as string] = { ...fields, stock, shares, off: { percent: percentOff, until } };
};

const productCommand = (product: number, change: ProductChange): Command =>
  command(`product ${product}: ${JSON.stringify(change)}`, (model, real) => putProduct(model, real, product, change));

const waitCommand = (millis: number): Command =>
  command(`wait ${millis}`, async (model) => {
    model.now += millis;
    setClock(model.now);
  });

const sweepCommand = (): Command =>
  command('sweep', async (model) => {
    for (const { credit } of Object.values(model.avatars))
      for (const type of ['regular', 'restricted'] as const) expire(credit[type], model.now);
    expect(await sweepDueLots('sweep')).toMatchObject({ failed: 0, finished: true });
  });

const many = fc.nat(9);
const known = fc.nat(1);
const wanted: fc.Arbitrary<Wanted> = fc.record({
  product: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2),
  buyer: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3),
  recipient: fc.constantFrom(-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 1, 1, 2, 3),
  useCredit: fc.constantFrom(true, true, false),
});
const payment = fc.constantFrom<keyof typeof payments>(
  'exactly',
  'exactly',
  'exactly',
  'too much',
  'one too little',
  'nothing',
);
const type = fc.constantFrom<CreditType>('regular', 'restricted');
// Few distinct durations, so that some lots expire together, and some by the time of a sale or a quote.
const life = fc.option(fc.constantFrom(0, 1000, 1000, 2000, 60_000, 120_000, 3_600_000), { nil: undefined, freq: 3 });
const percent = fc.constantFrom(0, 10, 33.3, 50, 99.99, 100);
const terms = { discount: percent, ownerProfit: fc.constantFrom(0, 0, 7.5, 50) };
const product = fc.record({
  price: fc.constantFrom(0, 1, 99, 100, 100, 250),
  percentOff: fc.constantFrom(0, 0, 12.5, 50),
  active: fc.constantFrom(true, true, true, true, false),
  limited: fc.boolean(),
  stock: fc.nat(2),
  blockCredits: fc.constantFrom(false, false, false, true),
  shares: fc.constantFrom<number[]>([], [33.3], [40, 60], [100]),
});

const sales = fc.oneof(
  fc.tuple(wanted, payment).map((args) => saleCommand(...args)),
  fc.tuple(many, payment, fc.constant({})).map((args) => quotedSaleCommand(...args)),
);
const commands = fc.commands(
  [
    sales,
    sales,
    sales,
    sales,
    wanted.map(quoteCommand),
    wanted.map(quoteCommand),
    fc.tuple(many, payment, fc.record({ recipient: fc.nat(2) })).map((args) => quotedSaleCommand(...args)),
    fc.tuple(many, fc.constantFrom(true, true, false)).map((args) => repeatCommand(...args)),
    fc.tuple(many, fc.constantFrom(null, 'one', 'another')).map((args) => refundCommand(...args)),
    fc.tuple(many, fc.constantFrom(null, 'one', 'another')).map((args) => refundCommand(...args)),
    fc.tuple(known, type, fc.constantFrom(0, 60, 300), life).map((args) => creditCommand('set', ...args)),
    fc.tuple(known, type, fc.integer({ min: 1, max: 120 }), life).map((args) => creditCommand('increment', ...args)),
    fc.tuple(known, type, fc.integer({ min: 1, max: 120 }), life).map((args) => creditCommand('increment', ...args)),
    fc.tuple(known, type, fc.integer({ min: -60, max: -1 }), life).map((args) => creditCommand('increment', ...args)),
    fc.tuple(known, fc.constantFrom(1, 40, 990)).map((args) => grantCommand(...args)),
    fc.tuple(many, known).map((args) => redeemCommand(...args)),
    fc.tuple(fc.record({ ...terms, usesPerCustomer: fc.nat(2) }), life).map((args) => couponCommand(...args)),
    fc.tuple(many, fc.record({ ...terms, active: fc.boolean() })).map((args) => replaceCouponCommand(...args)),
    fc.tuple(many, known, fc.integer({ min: -1, max: 1 })).map((args) => applyCommand(...args)),
    fc.tuple(many, known, fc.integer({ min: -1, max: 1 })).map((args) => applyCommand(...args)),
    fc.tuple(known, fc.constantFrom(0, 10, 20, 50)).map((args) => customerCommand(...args)),
    fc.tuple(known, fc.constantFrom(false, false, true)).map((args) => banCommand(...args)),
    fc.constantFrom(true, true, false).map(openCommand),
    fc.tuple(known, product).map((args) => productCommand(...args)),
    fc.constantFrom(1, 1000, 2000, 59_999, 60_000, 119_999, 120_000, 3_600_000).map(waitCommand),
    fc.constant(sweepCommand()),
  ],
  { maxCommands: 40, size: 'max' },
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
 * A store with two products, of which the second is limited. `isRich` gives both residents credit of both types, in
 * part until soon, and a coupon that each can use once.
 */
const setUp = async (now: number, isRich: boolean): Promise<{ model: Model; real: Real }> => {
  setClock(now);
  const { id: store } = await createStore('Model store');
  const call = service.callAs((await issueKey({ store, name: 'model', scopes, stage: 'test' })).text);
  const fields = { price: 100, active: true, limited: false, blockCredits: false, percentOff: 0, shares: [33.3] };
  const products = [];
  for (const name of ['One', 'Two']) products.push((await call('POST', '/v1/products', { name, price: 1 })).body.id);
  const avatars = [ada.uuid, bob.uuid, randomUUID()];
  const real: Real = {
    call,
    store,
    avatars,
    products: [...products, randomUUID()],
    quotes: [],
    sales: [],
    audited: new Map(),
  };
  const none = { avatars: {}, products: {}, coupons: [], quotes: [], sales: [], cards: [] };
  const model: Model = { ...none, now, isOpen: true };
  await putProduct(model, real, 0, { ...fields, stock: 0 });
  await putProduct(model, real, 1, { ...fields, limited: true, stock: 2 });
  if (!isRich) return { model, real };
  await couponCommand({ discount: 20, ownerProfit: 7.5, usesPerCustomer: 1 }).run(model, real);
  for (const who of [0, 1]) {
    await applyCommand(0, who, -1).run(model, real);
    await creditCommand('increment', who, 'regular', 30, undefined).run(model, real);
    await creditCommand('increment', who, 'regular', 20, 90_000).run(model, real);
    await creditCommand('increment', who, 'restricted', 25, 60_000).run(model, real);
  }
  return { model, real };
};

/** The rows of history that tell of a sale, or of its refund, have exactly the credit that its answer tells of. */
const expectTold = (items: readonly HistoryItem[], sold: readonly Sale[]): void => {
  const rows = Map.groupBy(
    items.filter(({ saleId, kind }) => saleId !== undefined && kind !== undefined),
    ({ saleId, kind, pk }) => `${saleId} ${kind} ${pk.split('#')[3]}`,
  );
  const amounts = new Map(
    [...rows].map(([name, [row, ...more]]) => [name, more.length === 0 ? row?.amount : 'several rows']),
  );
  const told = sold
    .flatMap(({ id, state, credit, restrictedCredit }): [string, number][] => {
      const taken: [string, number][] = [
        [`${id} sale regular`, -credit],
        [`${id} sale restricted`, -restrictedCredit],
      ];
      const given: [string, number][] = [
        [`${id} refund regular`, credit],
        [`${id} refund restricted`, restrictedCredit],
      ];
      return state === 'refused' ? [] : state === 'completed' ? taken : [...taken, ...given];
    })
    .filter(([, amount]) => amount !== 0);
  expect(amounts).toEqual(new Map(told));
};

test(
  `sales and credit behave as the rules say, and books and history are true after every command (seed ${seed})`,
  async () => {
    let now = start;
    const sold: Sale[] = [];
    await fc.assert(
      fc.asyncProperty(fc.boolean(), commands, async (isRich, history) => {
        const { model, real } = await setUp(now, isRich);
        await fc.asyncModelRun(() => ({ model, real }), history);
        const { data } = (await real.call('GET', '/v1/sales?limit=1000')).body;
        const byId = (a: Sale, b: Sale) => (a.id < b.id ? -1 : 1);
        expect(data.sort(byId)).toEqual(real.sales.map(({ answer }) => answer).sort(byId));
        sold.push(...real.sales.map(({ answer }) => answer));
        now = model.now;
        // History of thousands of runs at once would be more than the engine takes in time.
        await catchUp();
      }),
      { numRuns: runs, seed, ...(process.env.SALE_MODEL_PATH && { path: process.env.SALE_MODEL_PATH }) },
    );
    expectTold((await expectHistory()) as unknown as HistoryItem[], sold);
  },
  10 * 60_000 * Math.max(1, runs / 300),
);
