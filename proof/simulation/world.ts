import { applyCoupon } from '../../lib/catalogue/applied-coupons.ts';
import { createCoupon, never } from '../../lib/catalogue/coupons.ts';
import { bringCard } from '../../lib/catalogue/gift-cards.ts';
import { updateProductCard } from '../../lib/catalogue/product-cards.ts';
import { createProduct } from '../../lib/catalogue/products.ts';
import { divideStock, listStoredShares } from '../../lib/catalogue/stock.ts';
import { newId, now, timestamp } from '../../lib/clock.ts';
import { changeCredit } from '../../lib/credit/change.ts';
import { type CreditType, creditTypes } from '../../lib/credit/rules.ts';
import { registerDispenser } from '../../lib/delivery/dispensers.ts';
import { beginPayouts } from '../../lib/operator/begin-payouts.ts';
import { putResident } from '../../lib/operator/residents.ts';
import { createStore } from '../../lib/operator/stores.ts';
import { getSale } from '../../lib/sale/sales.ts';
import { sell } from '../../lib/sale/sell.ts';
import { updateRules } from '../../lib/store/rules.ts';
import { productKey } from '../../lib/table/keys.ts';
import { update } from '../../lib/table/language.ts';
import { write } from '../../lib/table/table.ts';
import { MemoryTable } from '../../test/lib/table/memory.ts';
import { count, noPayouts, type PayoutModel } from '../../test/support/model/payouts.ts';
import { type ModelPrices, noPrices } from '../../test/support/model/prices.ts';
import {
  avatarOf,
  issueCard,
  type ModelProduct,
  type ModelRequest,
  type ModelRules,
  type ModelSale,
  newAvatar,
  type SaleModel,
  sell as sellInModel,
} from '../../test/support/model/sales.ts';
import { nothingTold, type ToldModel } from '../../test/support/model/told.ts';
import { changeNoted, type ModelChanges } from '../../test/support/model/undo.ts';
import { productWith } from '../../test/support/rows.ts';
import { consumeAll, deliverAll } from './background.ts';
import { hasBrought } from './brought.ts';
import { creditLimit } from './environment.ts';
import { lasting, Machine, works } from './machine.ts';
import { runPass, type There } from './there.ts';
import { nameOfWords, wordsOf } from './words.ts';

/** The worlds in which schedules begin: a store as the service made it, and the same store in the model. */

/** Two seconds before midnight, so that days change while operations run. */
export const start = Date.parse('2028-02-29T23:59:58.000Z');

/** Everything that operations see and change. */
export interface State extends SaleModel {
  /** Customers whose credit not only imports have changed, by UUID. */
  touched: Record<string, true>;
  /** The rows of imports that exist, by id. */
  imported: Record<string, true>;
  payouts: PayoutModel;
  /** Changes that can be undone, by the names of their operations. */
  changes: ModelChanges;
  /** The lines of gifts that were given, by the names of their changes. */
  given: Record<string, true>;
  prices: ModelPrices;
  /** Payouts may be claimed. */
  isBegun: boolean;
  /** A restore has stopped them. */
  isStopped: boolean;
  /** The booked transfers, by id. */
  booked: Record<string, true>;
  told: ToldModel;
}

/** An earlier change, by its number. */
interface MadeChange {
  name: string;
  uuid: string;
  sequence: number;
}

export interface World {
  store: string;
  /** Two customers, and a resident that the store does not know. */
  avatars: readonly string[];
  /** A limited product with few copies left, an unlimited one and, if there are rules, a gift card. */
  products: readonly string[];
  coupons: readonly string[];
  cards: readonly string[];
  /** Avatars with shares in products; the second has one in a single sale only. Nobody, if the store pays nobody. */
  payees: readonly string[];
  /** Changes of credit that can be undone. */
  made: readonly MadeChange[];
  /** Half of all operations give credit and take it back. */
  hasGifts: boolean;
  /** Half of all operations are files of everything. */
  hasImports: boolean;
  /** Half of all operations are passes of a move, or something that happens there. */
  hasMoves: boolean;
  /** Another service from which the store moves. It has what the store has, and its own sums. */
  there: There;
  table: MemoryTable;
  /** With earlier sales: of the limited product, partly for credit, and, if there are rules, of a card. */
  state: State;
}

const uuidOf = (number: number): string => `${String(number).padStart(8, '0')}-51b0-4000-8000-000000000000`;

/** Runs work in a machine in which nothing fails. */
export const quietly = async <T>(machine: Machine, run: () => Promise<T>): Promise<T> => {
  machine.isQuiet = true;
  return works.run(lasting(machine, 'quiet'), run);
};

interface Setting {
  /** When the first customer's lots come due, in milliseconds after the start. */
  lots: readonly number[];
  usesPerCustomer: number;
  /** The coupon is also applied for the limited product, instead of an application that has ended. */
  isAppliedTwice?: true;
  /** The stock of the limited product is divided. */
  isDivided?: true;
  /** The products have shares, which the store pays through cashiers. */
  hasPayouts?: true;
  /** Payouts have not begun. */
  beginsLater?: true;
  hasGifts?: true;
  hasImports?: true;
  /** A first pass has made the products and the coupon. */
  hasMoves?: true;
  /** The store's rules. The store sells gift cards then. */
  rules?: Omit<ModelRules, 'limit'>;
  /** The number of further lots of L$ 1, so that a change of all lots does not fit into one transaction. */
  small?: number;
}

const minute = 60_000;

const settings: readonly Setting[] = [
  { lots: [], usesPerCustomer: 1 },
  { lots: [-1, 400, 20 * minute], usesPerCustomer: 1 },
  { lots: [-minute, -minute, 20 * minute], usesPerCustomer: 2 },
  { lots: [200, 3000, 3000, 20 * minute], usesPerCustomer: 2, isDivided: true },
  { lots: [1500], usesPerCustomer: 1, isAppliedTwice: true },
  {
    lots: [400, 20 * minute],
    usesPerCustomer: 1,
    rules: {
      ...{ groupDiscount: 25, tiers: [{ from: 80, percent: 60 }] },
      bonus: { percent: 20, groupPercent: 50, type: 'restricted', expiresInDays: null },
    },
  },
  {
    lots: [3000, 20 * minute],
    usesPerCustomer: 2,
    rules: {
      ...{ groupDiscount: 50, tiers: [] },
      bonus: { percent: 50, groupPercent: 0, type: 'regular', expiresInDays: 1 },
    },
  },
  { lots: [], usesPerCustomer: 2, hasPayouts: true },
  { lots: [], usesPerCustomer: 2, hasPayouts: true, beginsLater: true },
  { lots: [3000, 20 * minute], usesPerCustomer: 1, hasGifts: true },
  { lots: [20 * minute], usesPerCustomer: 2, hasImports: true },
  { lots: [], usesPerCustomer: 2, hasMoves: true },
  { lots: [1000, 20 * minute], usesPerCustomer: 2, small: 110 },
];

export const worldCount = settings.length;

/** The worlds with many lots cost many times as much as others. */
export const isLarge = (index: number): boolean => settings[index]?.small !== undefined;

const noTrouble = { faults: 0, deaths: 0, torn: 0, staleMillis: 0 };

/** A world that is being made. */
interface Beginning extends Pick<World, 'store' | 'state'> {
  made: MadeChange[];
  avatars: readonly [string, string, string];
}

/** Gives a customer credit that ends this many milliseconds after the start of schedules. */
const fill = async ({ store, state, made }: Beginning, uuid: string, type: CreditType, delta: number, due?: number) => {
  const expiresAt = due === undefined ? undefined : timestamp(start + due);
  const command = { kind: 'increment' as const, delta, expiresAt };
  const { sequence = 0 } = await changeCredit(store, { uuid }, type, command, { by: 'seed' });
  const name = `seed ${made.length}`;
  const change = { uuid, type, sequence, command, now: now(), limit: creditLimit };
  changeNoted(avatarOf(state, uuid).credit[type], state.changes, name, change);
  made.push({ name, uuid, sequence });
  state.touched[uuid] = true;
};

const fillAll = async (world: Beginning, { lots, small = 0, hasMoves }: Setting): Promise<void> => {
  const [one, two] = world.avatars;
  if (hasMoves) return fill(world, two, 'regular', 40);
  for (const due of lots) await fill(world, one, 'regular', 10, due);
  // A refund joins lots beyond 40 expiries. The model of sales does not.
  for (let i = 0; i < small; i++) await fill(world, one, 'regular', 1, 19 * minute + (i % 11) * 10);
  await fill(world, one, 'regular', 20);
  for (const type of creditTypes) await fill(world, two, type, 15, 2500);
  await fill(world, two, 'regular', 40);
  await fill(world, one, 'restricted', 25);
};

/** Copies in the shares of a divided stock: a sale or two are possible before too few are left. */
const copiesInShares = (place: number): number => (place < 2 ? 2 : 1);

/**
 * Divides the stock of a product, leaving one copy in its item and these in its shares. Answers the number of copies.
 */
const divide = async (store: string, id: string): Promise<number> => {
  await divideStock(store, id);
  const key = productKey(store, id);
  await write(update(key, { set: { availableAmount: 1 } }));
  const shares = await listStoredShares(store)({ descending: false });
  for (const [place, share] of shares.entries()) await write(update(share, { set: { copies: copiesInShares(place) } }));
  return 1 + shares.reduce((sum, _, place) => sum + copiesInShares(place), 0);
};

const makeProducts = async ({ store, state }: Beginning, { isDivided, rules, hasMoves }: Setting) => {
  if (hasMoves) return Object.keys(state.products);
  const make = async (price: number, isLimited = false): Promise<string> => {
    const availableAmount = isLimited ? (isDivided ? 200 : 3) : 0;
    const { id } = await createProduct(store, productWith({ price, limited: isLimited, availableAmount }));
    const stock = isLimited && isDivided ? await divide(store, id) : availableAmount;
    const plain = { off: undefined, active: true, blockCredits: false, shares: [] };
    state.products[id] = { ...plain, price, limited: isLimited, stock };
    return id;
  };
  const products = [await make(100, true), await make(60)];
  if (rules) {
    const id = await make(30);
    await updateProductCard(store, id, { credit: 45, texture: null });
    (state.products[id] as ModelProduct).card = 45;
    products.push(id);
  }
  return products;
};

/** Makes a coupon that lasts, and one whose application has ended when a schedule begins. */
const makeCoupons = async (
  world: Beginning,
  { usesPerCustomer, isAppliedTwice }: Setting,
  productId: string,
): Promise<void> => {
  const { store, state, avatars } = world;
  const [uuid, owner] = avatars;
  const fields = { ownerProfit: 0, active: true, bloggersSync: false };
  const by = { uuid: owner, username: 'avatar1' };
  const [told] = state.coupons;
  const coupon =
    told ?? (await createCoupon(store, by, { code: 'HALF', discount: 50, ...fields }, { usesPerCustomer }));
  const lapsed = await createCoupon(store, by, { code: 'MOST', discount: 90, ...fields }, {});
  await applyCoupon(store, { uuid }, { couponId: coupon.id, expiresInHours: 24 });
  // The table still has it.
  const [couponId, expiresInHours] = isAppliedTwice ? [coupon.id, 24] : [lapsed.id, 1];
  await applyCoupon(store, { uuid }, { couponId, expiresInHours, productId });
  const application = { couponId: coupon.id, expiresAt: now() + 24 * 60 * minute };
  avatarOf(state, uuid).applications = { store: application, ...(isAppliedTwice && { [productId]: application }) };
  const known = { owner, ownerProfit: 0, active: true, expiration: Date.parse(never) };
  if (!told) state.coupons.push({ ...known, id: coupon.id, code: 'HALF', discount: 50, usesPerCustomer });
  state.coupons.push({ ...known, id: lapsed.id, code: 'MOST', discount: 90, usesPerCustomer: 0 });
};

const makeCards = async ({ store, state, avatars }: Beginning): Promise<void> => {
  for (const [place, credit] of [35, 20].entries()) {
    const [owner, transfer] = [avatars[place] as string, place === 1];
    const holder = { uuid: owner, username: `avatar${place}` };
    const id = newId();
    const brought = bringCard(store, holder, { id, credit, transfer }, undefined);
    if (brought.kind === 'created') await write(brought.write);
    const told = { credit, isRedeemed: false, isActive: true };
    state.cards[id] = { owner, credit, transfer, isRedeemed: false, told };
  }
};

/** Sells a product to the first customer for themselves, in a machine in which nothing fails. Answers the sale's id. */
const sellBefore = async (world: Beginning, productId: string, how: { paid: number; useCredit: boolean }) => {
  const { store, state, avatars } = world;
  const [id, [buyer]] = [newId(), avatars];
  const parties = { buyerIdentifier: { uuid: buyer }, recipientIdentifier: undefined, message: '' };
  state.now = now();
  await sell(store, { ...parties, ...how, id, productId }, { by: 'seed' });
  const asked: ModelRequest = { productId, buyer, recipient: buyer, useCredit: how.useCredit };
  const sale = sellInModel(state, asked, how.paid, undefined);
  state.sales[id] = sale;
  const { giftCardId } = await getSale(store, id);
  if (giftCardId !== undefined) issueCard(state, sale, giftCardId);
  return id;
};

/**
 * Gives both products shares, from which a sale and a refund make debts, and begins payouts unless that comes later.
 */
const owe = async (world: Beginning, products: readonly string[], beginsLater: boolean): Promise<string[]> => {
  const { store, state, avatars } = world;
  const payees = [uuidOf(4), uuidOf(5)];
  const [partner = '', former = ''] = payees;
  for (const [place, uuid] of payees.entries()) await putResident({ uuid, username: `payee${place}` });
  const [, productId = ''] = products;
  const share = async (id: string, ...parts: [userUuid: string, percent: number][]): Promise<void> => {
    const shares = parts.map(([userUuid, percent]) => ({ userUuid, percent }));
    await write(update(productKey(store, id), { set: { profitShares: shares } }));
    (state.products[id] as ModelProduct).shares = shares;
  };
  await share(productId, [partner, 40], [former, 40]);
  const id = await sellBefore(world, productId, { paid: 100, useCredit: false });
  for (const payee of payees) count(state.payouts, state.sales[id] as ModelSale, [id, 'shares', payee]);
  for (const product of products) await share(product, [partner, 33.3], [avatars[0], 10]);
  if (!beginsLater) await beginPayouts(store, true);
  return payees;
};

/** The customers of another service. The second customer has spent nothing there. */
const customersThere = (avatars: readonly string[]): There['customers'] =>
  Object.fromEntries(
    avatars.map((uuid, place) => [
      uuid,
      {
        ...{ regular: place === 1 ? 0 : 50, restricted: place === 0 ? 20 : 0 },
        spend: place === 1 ? { year: 0, earlier: 0 } : { year: 40, earlier: 25 },
        settings: { discount: 0, isBanned: false, newsSubscriber: place === 2 },
      },
    ]),
  );

/** Another service from which the store is copied. */
const newThere = (avatars: readonly string[], { usesPerCustomer }: Setting): There => {
  const product = (name: string, price: number, copies: number) => ({
    ...{ name, settings: { price, active: true }, limited: copies > 0, copies },
  });
  const coupon = { code: 'HALF', owner: avatars[1] as string };
  return {
    customers: customersThere(avatars),
    cards: {},
    products: { [newId()]: product('Edition', 100, 4), [newId()]: product('Chair', 60, 0) },
    coupons: { [newId()]: { ...coupon, settings: { discount: 50, active: true, usesPerCustomer } } },
  };
};

/** Another service with records of this store that no move has told. */
const thereLike = ({ products, coupons }: State, avatars: readonly string[]): There => ({
  customers: customersThere(avatars),
  cards: {},
  products: Object.fromEntries(
    Object.entries(products).map(([id, { price, active, limited, stock }]) => [
      id,
      { name: 'Chair', settings: { price, active }, limited, copies: stock },
    ]),
  ),
  coupons: Object.fromEntries(
    coupons.map(({ id, code, owner, discount, active, usesPerCustomer }) => [
      id,
      { code, owner, settings: { discount, active, usesPerCustomer } },
    ]),
  ),
});

/** The cards that this store was told of. */
const cardsThere = ({ cards }: State): There['cards'] =>
  Object.fromEntries(
    Object.entries(cards).flatMap(([id, { owner, credit, transfer, told }]) =>
      told ? [[id, { owner, credit, transfer, isRedeemed: false }]] : [],
    ),
  );

/** Copies the other service into the store, in a machine in which nothing fails, and into the model. */
const passFirst = async (machine: Machine, { store, state }: Beginning, there: There): Promise<void> => {
  const pass = { there: structuredClone(there), ends: undefined };
  await works.run(lasting(machine, nameOfWords('first', 'pass')), () => runPass(store, pass));
  for (const commit of machine.commits) {
    const words = wordsOf(commit);
    if (words && !hasBrought(state, words, pass, machine.time)) throw new Error('The first pass is none of the model.');
  }
  state.told.earlier = [];
};

const build = async (index: number): Promise<World> => {
  const setting = settings[index] as Setting;
  const table = new MemoryTable();
  const machine = new Machine(index + 1, table, start - 120 * minute, noTrouble);
  return quietly(machine, async () => {
    const avatars = [uuidOf(1), uuidOf(2), uuidOf(3)] as const;
    for (const [place, uuid] of avatars.entries()) await putResident({ uuid, username: `avatar${place}` });
    const { id: store } = await createStore('Simulated', 'simulated');
    await registerDispenser(store, { url: 'https://a.agni.secondlife.io/cap', region: 'x', items: [], keyId: 'key' });
    const state: State = {
      ...{ now: now(), isOpen: true, avatars: {}, products: {}, coupons: [] },
      ...{ sales: {}, cards: {}, touched: {}, imported: {}, payouts: noPayouts(), changes: {}, given: {} },
      prices: noPrices(),
      ...{ isBegun: setting.hasPayouts === true && !setting.beginsLater, isStopped: false, booked: {} },
      told: nothingTold(),
    };
    for (const uuid of avatars) state.avatars[uuid] = newAvatar();
    const world: Beginning = { store, state, avatars, made: [] };
    const first = setting.hasMoves && newThere(avatars, setting);
    if (first) await passFirst(machine, world, first);
    await fillAll(world, setting);
    const products = await makeProducts(world, setting);
    const [limited = '', , card] = products;
    if (setting.rules) {
      await updateRules(store, setting.rules);
      state.rules = { ...setting.rules, limit: creditLimit };
    }
    await makeCoupons(world, setting, limited);
    await makeCards(world);
    const cards = Object.keys(state.cards);

    machine.time = start - 30 * minute;
    // A buyer who pays only with credit gets no bonus.
    const how = setting.rules || setting.hasMoves ? { paid: 100, useCredit: false } : { paid: 40, useCredit: true };
    await sellBefore(world, limited, how);
    const payees = setting.hasPayouts ? await owe(world, products, setting.beginsLater === true) : [];
    if (card !== undefined) await sellBefore(world, card, how);
    await consumeAll(machine);
    await deliverAll(machine);
    await consumeAll(machine);
    return {
      ...world,
      products,
      coupons: state.coupons.map(({ id }) => id),
      cards,
      payees,
      hasGifts: setting.hasGifts ?? false,
      hasImports: setting.hasImports ?? false,
      hasMoves: setting.hasMoves ?? false,
      there: { ...(first || thereLike(state, avatars)), cards: cardsThere(state) },
      table,
    };
  });
};

const worlds: (Promise<World> | undefined)[] = [];

/** The world with a number. It is made once, and schedules take copies of its table and state. */
export const worldOf = (index: number): Promise<World> => {
  worlds[index] ??= build(index);
  return worlds[index];
};
