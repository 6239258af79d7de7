import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { banCustomer, getCustomer, unbanCustomer } from '../../../lib/avatars/customers.ts';
import type { OwnedItem } from '../../../lib/avatars/owned.ts';
import { forgetResidents } from '../../../lib/avatars/residents.ts';
import { getSpend } from '../../../lib/avatars/spend.ts';
import { applyCoupon } from '../../../lib/catalogue/applied-coupons.ts';
import { findCouponUses } from '../../../lib/catalogue/coupon-uses.ts';
import { createCoupon, never } from '../../../lib/catalogue/coupons.ts';
import { putGiftCard } from '../../../lib/catalogue/gift-cards.ts';
import { updateProduct } from '../../../lib/catalogue/products.ts';
import { timestamp } from '../../../lib/clock.ts';
import { changeCredit } from '../../../lib/credit/change.ts';
import { redeemGiftCard } from '../../../lib/credit/redeem.ts';
import { sweepDueLots } from '../../../lib/credit/sweep.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { Problem } from '../../../lib/problem.ts';
import type { Sale } from '../../../lib/routes/sales.ts';
import { refundSale } from '../../../lib/sale/refund.ts';
import { setOpen } from '../../../lib/store/stores.ts';
import { tableName } from '../../../lib/table/client.ts';
import { ownedKey } from '../../../lib/table/keys.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { get } from '../../../lib/table/table.ts';
import { creditOf, customerWithLots, newCustomer } from '../../support/credit-seed.ts';
import { startTestQueue } from '../../support/deliveries.ts';
import { injectFaults, inOrderOf, intercept } from '../../support/faults.ts';
import { isolateAsDynamoDB } from '../../support/isolation.ts';
import { isLinearizable, type Operation } from '../../support/linearizable.ts';
import { balanceOf, expire, increment, type ModelCustomer, set } from '../../support/model/credit.ts';
import {
  type ModelAvatar,
  type ModelProduct,
  type ModelRequest,
  type ModelSale,
  newAvatar,
  quote,
  refund,
  type SaleModel,
  sell,
} from '../../support/model/sales.ts';
import { ada } from '../../support/residents.ts';
import { productWith } from '../../support/rows.ts';
import { freshTable, setClock } from '../../support/service.ts';
import { trials, volume } from '../../support/volume.ts';
import { buy, newProduct, quoteFor, stockOf } from './sales.ts';

/** Concurrent sales, beside all that changes their credit, stock, coupon uses and terms. */

/** `SALE_RACES_SEED` and `SALE_RACES_PATH` replay a run; `SALE_RACES_RUNS` asks for more. */
const seed = Number(process.env.SALE_RACES_SEED ?? Date.now() % 2 ** 31);
const replay = { seed, ...(process.env.SALE_RACES_PATH && { path: process.env.SALE_RACES_PATH }) };
const runs = Number(process.env.SALE_RACES_RUNS ?? trials(6, 60));
const start = Date.parse('2028-02-29T12:00:00.000Z');
const by = { by: 'test' };
const limit = 1_000_000_000;
let store = '';

const newStore = async (): Promise<void> => {
  await freshTable();
  forgetResidents();
  setClock(start);
  store = (await createStore('Races')).id;
};

let stop = () => {};
beforeAll(async () => {
  await startTestQueue();
});
beforeEach(newStore);
afterEach(() => stop());

/** A coupon of 50 %, applied to a customer for the whole store. */
const appliedCoupon = async (uuid: string, usesPerCustomer: number): Promise<string> => {
  const fields = { code: randomUUID(), discount: 50, ownerProfit: 0, active: true, bloggersSync: false };
  const { id } = await createCoupon(store, ada, fields, { usesPerCustomer });
  await applyCoupon(store, { uuid }, { couponId: id, expiresInHours: 1 });
  return id;
};

const crowd = volume(32, 64);

test(`${crowd} sales at once by one id are one sale, and ${crowd} buyers of the last copy are one`, async () => {
  const [buyer, productId] = [await newCustomer(), await newProduct(store, { limited: true, availableAmount: 2 })];
  const id = randomUUID();

  const same = await Promise.all(Array.from({ length: crowd }, () => buy(store, { id, productId, buyer, paid: 100 })));
  const buyers = await Promise.all(
    Array.from({ length: crowd }, () => buy(store, { productId, buyer: randomUUID(), paid: 100 })),
  );

  expect(new Set(same.map((sale) => JSON.stringify(sale)))).toHaveLength(1);
  expect(same[0]?.state).toBe('completed');
  const states = buyers.map(({ refusal, state }) => refusal ?? state).sort();
  expect(states).toEqual(['completed', ...Array(crowd - 1).fill('sold-out')]);
  expect(await stockOf(store, productId)).toBe(0);
  expect(await getSpend(store, { uuid: buyer })).toMatchObject({ sum: 100, totalOwned: 1 });
});

test('sales and refunds of one limited product at once are each decided once, and the stock is what is left', async () => {
  const productId = await newProduct(store, { limited: true, availableAmount: crowd + 1 });
  let transactions = 0;
  stop = intercept(async ({ operation }, send) => {
    if (operation === 'TransactWriteItems') transactions += 1;
    return send();
  });

  const sales = await Promise.all(
    Array.from({ length: crowd }, () => buy(store, { productId, buyer: randomUUID(), paid: 100 })),
  );
  const left = await stockOf(store, productId);
  await Promise.all(sales.map(({ id }) => refundSale(store, id, by)));

  expect(left).toBe(1);
  expect(await stockOf(store, productId)).toBe(crowd + 1);
  expect(transactions).toBe(2 * crowd);
});

test('the last use of a coupon is used once, by sales with quotes and without', async () => {
  const [buyer, productId] = [await newCustomer(), await newProduct(store)];
  const id = await appliedCoupon(buyer, 1);
  const quoted = await quoteFor(store, { productId, buyer });

  const sales = await Promise.all(
    Array.from({ length: 16 }, (_, index) =>
      buy(store, { productId, buyer, paid: 100, ...(index % 2 && { quote: quoted }) }),
    ),
  );

  const cheap = sales.filter(({ state, total }) => state === 'completed' && total === 50);
  const dear = sales.filter(({ state, total }) => state === 'completed' && total === 100);
  const refused = sales.filter(({ refusal }) => refusal === 'coupon-used');
  expect([cheap.length, cheap.length + dear.length + refused.length]).toEqual([1, 16]);
  expect((await findCouponUses(store, buyer, id))?.uses).toBe(1);
  expect((await getSpend(store, { uuid: buyer })).sum).toBe(50 + 100 * dear.length);
});

test('a sale is not refused for credit, a use and a last copy that a refund gave back meanwhile', async () => {
  const [buyer, productId] = [await newCustomer(), await newProduct(store, { limited: true, availableAmount: 1 })];
  await appliedCoupon(buyer, 1);
  await changeCredit(store, { uuid: buyer }, 'regular', { kind: 'set', credit: 40 }, by);
  const sold = await buy(store, { productId, buyer, paid: 10, useCredit: true });
  // The customer is read, then comes the refund; product and uses are read afterwards.
  stop = intercept(async ({ operation, input }, send) => {
    if (operation !== 'BatchGetItem' || !JSON.stringify(input).includes('#PRODUCT')) return send();
    stop();
    const isCustomer = ({ pk }: { pk: string }): boolean => pk === `${store}#CUSTOMER`;
    const early = (await send()).output.Responses[tableName()].filter(isCustomer);
    await refundSale(store, sold.id, by);
    const answer = await send();
    const late = answer.output.Responses[tableName()];
    answer.output.Responses[tableName()] = late.map((item: Key) => early.find(() => isCustomer(item)) ?? item);
    return answer;
  });

  const sale = await buy(store, { productId, buyer, paid: 10, useCredit: true });

  expect([sale.state, sale.refusal, sale.total, sale.credit]).toEqual(['completed', null, 50, 40]);
});

/** The parts of a product that a step replaces. */
type Put = Pick<ModelProduct, 'price' | 'active' | 'stock'>;

type Step =
  | {
      kind: 'sell';
      product: number;
      who: number;
      to: number;
      useCredit: boolean;
      isQuoted: boolean;
      paid: number;
      quote?: string;
    }
  | { kind: 'set' | 'increment'; amount: number; lives: boolean; type: 'regular' | 'restricted' }
  | { kind: 'put'; fields: Put }
  | { kind: 'ban'; value: boolean }
  | { kind: 'open'; value: boolean }
  | { kind: 'refund'; reference: string }
  | { kind: 'sweep' }
  | { kind: 'redeem' }
  | { kind: 'read' };

const lives = fc.boolean();
const type = fc.constantFrom<'regular' | 'restricted'>('regular', 'restricted');
const aSale = fc.record({
  kind: fc.constant('sell' as const),
  product: fc.constantFrom(0, 0, 1),
  who: fc.constantFrom(0, 0, 0, 1),
  to: fc.constantFrom(0, 0, 0, 1),
  useCredit: fc.constantFrom(true, true, true, false),
  isQuoted: fc.boolean(),
  paid: fc.constantFrom(0, 20, 50, 100),
});
const aRefund = fc.record({ kind: fc.constant('refund' as const), reference: fc.constantFrom('one', 'another') });
const changes: fc.Arbitrary<Step> = fc.oneof(
  aSale,
  aRefund,
  aRefund,
  fc.record({ kind: fc.constant('set' as const), amount: fc.constantFrom(0, 7, 300), lives, type }),
  fc.record({ kind: fc.constant('increment' as const), amount: fc.integer({ min: 1, max: 40 }), lives, type }),
  fc.record({
    ...{ kind: fc.constant('increment' as const), amount: fc.integer({ min: -40, max: -1 }) },
    ...{ lives: fc.constant(false), type },
  }),
  fc.constantFrom<Step>({ kind: 'sweep' }, { kind: 'redeem' }, { kind: 'redeem' }, { kind: 'read' }),
);
const facts: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('put' as const),
    fields: fc.record({
      price: fc.constantFrom(60, 100, 140),
      active: fc.constantFrom(true, true, false),
      stock: fc.nat(2),
    }),
  }),
  fc.record({ kind: fc.constant('ban' as const), value: fc.boolean() }),
  fc.record({ kind: fc.constant('open' as const), value: fc.boolean() }),
);
/** Two sales at least. */
const steps: fc.Arbitrary<Step[]> = fc
  .tuple(aSale, aSale, fc.array(changes, { minLength: 1, maxLength: 3 }), fc.array(facts, { maxLength: 1 }))
  .map(([one, other, more, fact]) => [one, other, ...more, ...fact]);
const settings: fc.Arbitrary<Setting> = fc.record({
  lotCount: fc.constantFrom(0, 1, 3),
  usesPerCustomer: fc.constantFrom(1, 2),
});

interface Setting {
  /** The number of the customer's lots: all three (two come due), only the one that lives, or none. */
  lotCount: number;
  /** How often a customer may use the coupon. An earlier sale has used it once. */
  usesPerCustomer: number;
}

/** The facts that a sale reads when it begins: what changed them meanwhile need not count. */
interface Facts {
  isOpen: boolean;
  isBanned: boolean;
  price: number;
  active: boolean;
}

interface State {
  model: SaleModel;
  /** A sale that was made before, for the customer themselves, under their coupon. */
  sold: ModelSale;
  isRedeemed: boolean;
  /** All facts that were true at some time since the steps began. */
  seen: Facts[];
}

/** An effect on the state: undefined where an answer contradicts it. */
type Apply = (state: State) => State | undefined;

interface World {
  /** The id of the sale that was made before. */
  soldId: string;
  avatars: [string, string];
  /** The limited product, which steps replace, and an unlimited one. */
  products: [string, string];
  card: string;
  initial: State;
}

const cardCredit = 35;
const lotEnd = start + 30_000;

const factsOf = (model: SaleModel, { avatars, products }: Pick<World, 'avatars' | 'products'>): Facts => {
  const { price, active } = model.products[products[0]] as ModelProduct;
  return { isOpen: model.isOpen, isBanned: model.avatars[avatars[0]]?.isBanned ?? false, price, active };
};

const setFacts = (model: SaleModel, { avatars, products }: World, { isOpen, isBanned, price, active }: Facts): void => {
  model.isOpen = isOpen;
  Object.assign(model.avatars[avatars[0]] as object, { isBanned });
  Object.assign(model.products[products[0]] as object, { price, active });
};

const creditOfModel = (
  { model }: State,
  { avatars }: World,
  who: number,
  of: 'regular' | 'restricted',
): ModelCustomer => (model.avatars[avatars[who] as string] as ModelAvatar).credit[of];

type Told = Pick<Sale, 'state' | 'total' | 'credit' | 'restrictedCredit' | 'refund'> & { refusal: string | null };

/** The part of a sale's answer that a serial order has to explain: the prices of a refused sale are only told. */
const told = ({ state, refusal, total, credit, restrictedCredit, refund }: Told): string =>
  JSON.stringify(state === 'refused' ? refusal : { state, total, credit, restrictedCredit, refund });

/**
 * A store with a limited product and a gift card, a customer who has a coupon, credit of both types (some of it comes
 * due) and one purchase, and another customer with some credit: in the service's form and in the model's.
 */
const seeded = async ({ lotCount, usesPerCustomer }: Setting): Promise<World> => {
  await newStore();
  setClock(start - 1000);
  const lots = [
    { expiresAt: timestamp(start - 1), amount: 10 },
    { expiresAt: timestamp(start), amount: 10 },
    { expiresAt: timestamp(lotEnd), amount: 30 },
  ].slice(3 - lotCount);
  const avatars: World['avatars'] = [await customerWithLots(store, lots, 20), await customerWithLots(store, [], 40)];
  await changeCredit(store, { uuid: avatars[0] }, 'restricted', { kind: 'increment', delta: 25 }, by);
  const products: World['products'] = [
    await newProduct(store, { limited: true, availableAmount: 2 }),
    await newProduct(store, { price: 60 }),
  ];
  const couponId = await appliedCoupon(avatars[0], usesPerCustomer);
  const cardFields = { credit: cardCredit, texture: null, transfer: false, active: true };
  const { id: card } = await putGiftCard(store, { uuid: avatars[0], username: 'owner' }, cardFields);
  const [rich, other] = [newAvatar(), newAvatar()];
  rich.credit.regular.unlotted = 20;
  rich.credit.regular.lots = lots.map(({ expiresAt, amount }, index) => ({
    ...{ expiresAt: Date.parse(expiresAt), remaining: amount },
    // Before every lot that the model makes itself.
    number: index - lots.length,
  }));
  rich.credit.restricted.unlotted = 25;
  rich.applications.store = { couponId, expiresAt: start + 3_599_000 };
  other.credit.regular.unlotted = 40;
  const coupon = { id: couponId, code: 'CODE', owner: ada.uuid, discount: 50, ownerProfit: 0, usesPerCustomer };
  const plain = { off: undefined, active: true, blockCredits: false, shares: [] };
  const model: SaleModel = {
    ...{ now: start - 1000, isOpen: true, avatars: { [avatars[0]]: rich, [avatars[1]]: other } },
    products: {
      [products[0]]: { ...plain, price: 100, limited: true, stock: 2 },
      [products[1]]: { ...plain, price: 60, limited: false, stock: 0 },
    },
    coupons: [{ ...coupon, active: true, expiration: Date.parse(never) }],
    cards: {},
    sales: {},
  };
  const asked = { productId: products[0], buyer: avatars[0], recipient: avatars[0], useCredit: true };
  const soldId = randomUUID();
  const answer = await buy(store, { ...asked, id: soldId, paid: 50 });
  const sold = sell(model, asked, 50, undefined);
  expect(told(answer)).toBe(told({ ...sold, ...sold.terms }));
  model.now = start;
  setClock(start);
  const seen = [factsOf(model, { avatars, products })];
  return { soldId, avatars, products, card, initial: { model, sold, isRedeemed: false, seen } };
};

/** Repeats a request until it is answered, as a client does that got no answer, or was told to come again. */
const untilAnswered = async <T>(send: () => Promise<T>): Promise<T> => {
  for (;;) {
    const outcome = await send().catch((error) => error);
    if (!(outcome instanceof Error) || (outcome instanceof Problem && outcome.status !== 503)) return outcome;
  }
};

const sellStep = async (world: World, step: Extract<Step, { kind: 'sell' }>): Promise<Apply> => {
  const { avatars, products, initial } = world;
  const productId = products[step.product] as string;
  const [buyer, recipient] = [avatars[step.who] as string, avatars[step.to] as string];
  const asked: ModelRequest = { productId, buyer, recipient, useCredit: step.useCredit };
  const made = step.isQuoted ? quote(initial.model, asked).quote : null;
  const wanted = { ...asked, buyer, recipient, id: randomUUID(), paid: step.paid };
  const text = step.quote === undefined ? {} : { quote: step.quote };
  const answer = await untilAnswered(() => buy(store, { ...wanted, ...text }));
  return (state) => {
    for (const { isOpen } of state.seen)
      for (const { isBanned } of state.seen)
        for (const { price, active } of state.seen) {
          const model = structuredClone(state.model);
          const facts = factsOf(model, world);
          setFacts(model, world, { isOpen, isBanned, price, active });
          const sale = sell(model, asked, step.paid, made ?? undefined);
          if (told({ ...sale, ...sale.terms }) !== told(answer)) continue;
          setFacts(model, world, facts);
          return { ...state, model };
        }
    return undefined;
  };
};

/** The effect of a change that its rule allows if `isDone`, and otherwise refuses. */
const changing =
  (isDone: boolean, change: (state: State) => boolean): Apply =>
  (state) => {
    const after = structuredClone(state);
    return change(after) === isDone ? (isDone ? after : state) : undefined;
  };

/** True where it is done, false where a rule refuses it. */
const isDone = async (work: Promise<unknown>): Promise<boolean | undefined> =>
  work.then(
    () => true,
    (error) => {
      if (!(error instanceof Problem)) throw error;
      return error.status === 503 ? undefined : false;
    },
  );

/** Carries out a step, and answers its effect on the model. */
const carryOut = async (world: World, step: Step): Promise<Apply> => {
  const { avatars, products, card } = world;
  const productId = products[0];
  const uuid = avatars[0];
  if (step.kind === 'sell') return sellStep(world, step);
  if (step.kind === 'read') {
    const { credit, restrictedCredit } = await getCustomer(store, { uuid });
    const balance = (state: State, of: 'regular' | 'restricted') => balanceOf(creditOfModel(state, world, 0, of));
    return (state) =>
      balance(state, 'regular') === credit && balance(state, 'restricted') === restrictedCredit ? state : undefined;
  }
  if (step.kind === 'sweep') {
    const { lots, amount } = await sweepDueLots('sweep');
    return changing(true, (state) => {
      const closed = (['regular', 'restricted'] as const).map((of) =>
        expire(creditOfModel(state, world, 0, of), start),
      );
      const sum = (name: 'lots' | 'amount') => closed.reduce((total, each) => total + each[name], 0);
      return sum('lots') <= lots && sum('amount') === amount;
    });
  }
  if (step.kind === 'redeem') {
    const done = await isDone(redeemGiftCard(store, card, { identifier: { uuid } }, by));
    if (done === undefined) return (state) => state;
    return changing(done, (state) => {
      if (state.isRedeemed) return false;
      state.isRedeemed = true;
      return increment(creditOfModel(state, world, 0, 'regular'), cardCredit, undefined, start, limit);
    });
  }
  if (step.kind === 'refund') {
    const {
      state,
      refund: given,
      refundReference,
    } = await untilAnswered(() => refundSale(store, world.soldId, { ...by, reference: step.reference }));
    return (before) => {
      const after = structuredClone(before);
      refund(after.model, after.sold, step.reference);
      const { sold } = after;
      const isSame = sold.state === state && sold.refund === given && sold.refundReference === refundReference;
      return isSame ? after : undefined;
    };
  }
  if ('lives' in step) {
    const { kind, amount, type: of } = step;
    const end = step.lives ? lotEnd + 1 : undefined;
    const expiresAt = end === undefined ? undefined : timestamp(end);
    const change = kind === 'set' ? { kind, credit: amount, expiresAt } : { kind, delta: amount, expiresAt };
    const done = await isDone(changeCredit(store, { uuid }, of, change, by));
    if (done === undefined) return (state) => state;
    const rule = kind === 'set' ? set : increment;
    return changing(done, (state) => rule(creditOfModel(state, world, 0, of), amount, end, start, limit));
  }
  if (step.kind === 'put') {
    const { price, active, stock } = step.fields;
    await updateProduct(store, productId, productWith({ price, active, limited: true, availableAmount: stock }));
  } else if (step.kind === 'open') await setOpen(store, step.value, by, () => {});
  else await (step.value ? banCustomer(store, { uuid }, undefined) : unbanCustomer(store, { uuid }));
  return (state) => {
    const after = structuredClone(state);
    if (step.kind === 'put') Object.assign(after.model.products[productId] as object, step.fields);
    if (step.kind === 'ban') Object.assign(after.model.avatars[uuid] as object, { isBanned: step.value });
    if (step.kind === 'open') after.model.isOpen = step.value;
    after.seen.push(factsOf(after.model, world));
    return after;
  };
};

/**
 * All that sales and credit change, as the model has it and as the table does. Throws unless the books of the credit
 * agree.
 */
const endOf = ({ model }: State, { avatars, products }: World) => ({
  stock: model.products[products[0]]?.stock,
  avatars: avatars.map((uuid) => {
    const { credit, spend, owned, uses } = model.avatars[uuid] as ModelAvatar;
    return {
      ...{ credit: balanceOf(credit.regular), restrictedCredit: balanceOf(credit.restricted) },
      ...{ sum: spend.sum, totalOwned: spend.totalOwned },
      ...{ owned: products.map((id) => owned[id]?.quantity ?? 0), uses: Object.values(uses) },
    };
  }),
});

const endInTable = async ({ avatars, products, initial }: World): Promise<ReturnType<typeof endOf>> => ({
  stock: await stockOf(store, products[0]),
  avatars: await Promise.all(
    avatars.map(async (uuid) => {
      const { item, faults } = await creditOf(store, uuid);
      expect(faults).toEqual([]);
      const { sum, totalOwned } = await getSpend(store, { uuid });
      const owned = await Promise.all(products.map((id) => get<OwnedItem>(ownedKey(store, uuid, id))));
      const uses = await Promise.all(initial.model.coupons.map(({ id }) => findCouponUses(store, uuid, id)));
      return {
        ...{ credit: item.credit ?? 0, restrictedCredit: item.restrictedCredit ?? 0, sum, totalOwned },
        ...{ owned: owned.map((item) => item?.quantity ?? 0), uses: uses.flatMap((use) => use?.uses ?? []) },
      };
    }),
  ),
});

/** Takes all steps at once. Some serial order of them must explain all answers, and the table at the end. */
const takeAtOnce = async (
  setting: Setting,
  all: readonly Step[],
  begin: () => () => void,
  together: (work: Promise<unknown>) => Promise<unknown> = (work) => work,
): Promise<void> => {
  const world = await seeded(setting);
  const { avatars, products } = world;
  const ready: Step[] = [];
  for (const step of all) {
    if (step.kind !== 'sell' || !step.isQuoted) ready.push(step);
    else {
      const [buyer, recipient] = [avatars[step.who] as string, avatars[step.to] as string];
      const productId = products[step.product] as string;
      ready.push({ ...step, quote: await quoteFor(store, { productId, buyer, recipient, useCredit: step.useCredit }) });
    }
  }
  let clock = 0;
  const history: Operation<State>[] = [];
  const take = async (step: Step): Promise<void> => {
    const begun = clock++;
    const apply = await carryOut(world, step);
    history.push({ start: begun, end: clock++, apply });
  };

  stop = begin();
  await together(Promise.all(ready.map(take))).finally(stop);

  const end = JSON.stringify(await endInTable(world));
  expect(isLinearizable(world.initial, history, (state) => JSON.stringify(endOf(state, world)) === end)).toBe(true);
};

test(`sales are linearizable beside sets, sweeps, redeems, refunds, new prices, bans and closes (seed ${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), settings, steps, async (scheduler, setting, all) => {
      await takeAtOnce(
        setting,
        all,
        () => inOrderOf(scheduler),
        (work) => scheduler.waitFor(work),
      );
    }),
    { numRuns: runs, ...replay },
  );
});

test(`they are so even if the items of a transaction appear one by one (seed ${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), settings, steps, async (order, setting, all) =>
      takeAtOnce(setting, all, () => isolateAsDynamoDB(order, 60)),
    ),
    { numRuns: Math.ceil(runs / 2), ...replay },
  );
});

/** Steps that a client may repeat until they are answered. */
const repeatable = fc
  .tuple(fc.array(aSale, { minLength: 2, maxLength: 4 }), fc.array(aRefund, { maxLength: 2 }))
  .map((some): Step[] => some.flat());

test(`sales and refunds that are repeated until they are answered are so under faults of the table (seed ${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), settings, repeatable, async (order, setting, all) =>
      takeAtOnce(setting, all, () => injectFaults(order, 0.2)),
    ),
    { numRuns: runs, ...replay },
  );
});
