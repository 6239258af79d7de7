import { creditTypes } from '../../../lib/credit/rules.ts';
import { change as changeCredit, spendable } from './credit.ts';
import { avatarOf, type ModelSale, type SaleModel } from './sales.ts';

/**
 * A second implementation of whose word counts (docs/adr/0062-whose-word-counts.md), written from the rules alone: what
 * a file, or a pass of a move, does to a thing, while this store changes it too.
 */

/** A thing that files tell of. An `application` has its customer as `id`, and its scope. */
export interface Thing {
  kind: 'customer' | 'product' | 'coupon' | 'application';
  id: string;
  scope?: string;
}

/** The settings of a thing by their names. */
export type Settings = Readonly<Record<string, number | boolean | string>>;

/** Settings that a sale may still count, since it has read them before they were changed. */
interface Earlier {
  thing: Thing;
  values: Settings | undefined;
  /** The place of the schedule from which nobody sees them. */
  until: number;
}

/** A purchase that was made elsewhere. */
export interface ModelPurchase {
  uuid: string;
  productId: string;
  price: number;
  at: number;
}

/** All that the model knows of what was told. */
export interface ToldModel {
  /** The customers who get the news, by UUID. */
  subscribers: Record<string, true>;
  /** Settings as a move last told them, by the thing. A customer with all defaults counts as told. */
  settings: Record<string, Settings>;
  /** The copies of products as the other side told them last. */
  copies: Record<string, number>;
  /** By id. */
  purchases: Record<string, ModelPurchase>;
  /** The L$ of sales that imports brought as completed, by id. */
  sales: Record<string, number>;
  earlier: Earlier[];
}

export const nothingTold = (): ToldModel => ({
  ...{ subscribers: {}, settings: {}, copies: {}, purchases: {}, sales: {}, earlier: [] },
});

export interface WithTold extends SaleModel {
  told: ToldModel;
  /** Customers whose credit the store has changed itself, by UUID. */
  touched: Record<string, true>;
}

/** The outcome of a row. */
export type Brought = 'changed' | 'unchanged' | 'refused';

const couponOf = ({ coupons }: SaleModel, id: string) => coupons.find((one) => one.id === id);

/** The settings of a thing as they are here; undefined where it is not. */
const settingsOf = (model: WithTold, { kind, id, scope = '' }: Thing): Settings | undefined => {
  if (kind === 'customer') {
    const { discount, isBanned } = avatarOf(model, id);
    return { discount, isBanned, newsSubscriber: model.told.subscribers[id] === true };
  }
  if (kind === 'application') {
    const application = avatarOf(model, id).applications[scope];
    return application && { ...application };
  }
  const found = kind === 'product' ? model.products[id] : couponOf(model, id);
  if (!found) return undefined;
  return 'price' in found
    ? { price: found.price, active: found.active }
    : { discount: found.discount, active: found.active, usesPerCustomer: found.usesPerCustomer };
};

/** Gives a thing its settings, or takes an application away. */
const setSettings = (model: WithTold, { kind, id, scope = '' }: Thing, values: Settings | undefined): void => {
  if (kind === 'application') {
    const { applications } = avatarOf(model, id);
    delete applications[scope];
    if (values) applications[scope] = { couponId: String(values.couponId), expiresAt: Number(values.expiresAt) };
  } else if (kind === 'customer') {
    const { newsSubscriber, ...others } = values ?? {};
    Object.assign(avatarOf(model, id), others);
    delete model.told.subscribers[id];
    if (newsSubscriber) model.told.subscribers[id] = true;
  } else Object.assign((kind === 'product' ? model.products[id] : couponOf(model, id)) ?? {}, values);
};

/** Changes settings. A sale that has read them before may use the earlier ones until `shown`. */
const change = (model: WithTold, thing: Thing, values: Settings, shown: number): void => {
  model.told.earlier.push({ thing, values: settingsOf(model, thing), until: shown });
  setSettings(model, thing, values);
};

const isSame = (a: Settings, b: Settings): boolean => Object.keys(a).every((name) => a[name] === b[name]);

/** The way in which a row comes. */
export interface How {
  /** The place from which everybody sees what it changes. */
  shown: number;
  /** It is another service's, and not a file's. */
  isMove?: boolean;
  /** Nothing was there of the thing. */
  isNew?: boolean;
  setsStock?: boolean;
}

const nameOf = ({ kind, id }: Thing): string => `${kind} ${id}`;

const noSettings: Settings = { discount: 0, isBanned: false, newsSubscriber: false };

/**
 * Does what a row does to settings. The row of a file is taken, since a person tells it now, and what was told before
 * stays noted. The row of a move is taken if it tells something new and nobody has changed anything here.
 */
export const bringSettings = (model: WithTold, thing: Thing, row: Settings, how: How): Brought => {
  const { settings } = model.told;
  const { shown, isMove = false, isNew = false } = how;
  const here = settingsOf(model, thing) ?? {};
  const there = { ...here, ...row };
  const told = settings[nameOf(thing)] ?? (thing.kind === 'customer' && isSame(noSettings, here) ? here : undefined);
  if (isNew) settings[nameOf(thing)] = there;
  if (isSame(there, here)) return isNew ? 'changed' : 'unchanged';
  const isTaken = isNew || !isMove || (told && isSame(told, here));
  if (!isTaken || (isMove && told && isSame(told, there))) return 'unchanged';
  change(model, thing, there, shown);
  if (isMove) settings[nameOf(thing)] = there;
  return 'changed';
};

/** Does what a request of this store does to settings. */
export const sayHere = (model: WithTold, thing: Thing, row: Settings, shown: number): void =>
  change(model, thing, { ...settingsOf(model, thing), ...row }, shown);

/** Tells whether a thing has these settings. */
export const hasSettings = (model: WithTold, thing: Thing, row: Settings): boolean =>
  isSame(row, settingsOf(model, thing) ?? {});

/** Does what a row does to a coupon, which keeps its owner. */
export const bringCoupon = (model: WithTold, id: string, row: { owner: string; settings: Settings }, how: How) => {
  const { owner } = couponOf(model, id) ?? {};
  return owner === row.owner ? bringSettings(model, { kind: 'coupon', id }, row.settings, how) : 'refused';
};

/** A row about a product, which may tell of its copies too. */
export interface ProductRow {
  settings: Settings;
  copies?: number | undefined;
}

/**
 * Applies a row to a product. A file sets the copies of a limited product only if it is asked to. A move adds the
 * change of the number at the other service.
 */
export const bringProduct = (model: WithTold, id: string, { settings, copies }: ProductRow, how: How): Brought => {
  const { told, products } = model;
  const product = products[id];
  if (!product) return 'refused';
  const brought = bringSettings(model, { kind: 'product', id }, settings, how);
  if (!product.limited || copies === undefined) return brought;
  const [here, before] = [product.stock, told.copies[id]];
  if (how.isNew) told.copies[id] = copies;
  else if (how.isMove && before !== undefined) {
    product.stock = Math.max(0, here + copies - before);
    told.copies[id] = copies;
  } else if (how.setsStock) product.stock = copies;
  return product.stock === here && told.copies[id] === before ? brought : 'changed';
};

/** Does what a row does to an applied coupon, the act of a customer: it is prolonged, unless it has lapsed. */
export const bringApplication = (
  model: WithTold,
  thing: Thing,
  row: { couponId: string; expiresAt: number },
  { shown }: How,
): Brought => {
  const here = settingsOf(model, thing);
  const isLive = here && Number(here.expiresAt) > model.now;
  if (isLive && (here.couponId !== row.couponId || Number(here.expiresAt) >= row.expiresAt)) return 'unchanged';
  if (row.expiresAt <= model.now) return 'unchanged';
  change(model, thing, { ...row }, shown);
  return 'changed';
};

const dayMillis = 86_400_000;

/** Counts L$ that a customer has spent elsewhere. Days more than a year ago count only in the total. */
const spendMore = (model: SaleModel, uuid: string, amount: number, at: number): void => {
  const { spend } = avatarOf(model, uuid);
  const day = new Date(at).toISOString().slice(0, 10);
  spend.sum += amount;
  if (amount !== 0 && at > model.now - 364 * dayMillis) spend.days[day] = (spend.days[day] ?? 0) + amount;
};

const ownMore = (model: SaleModel, uuid: string, productId: string, at: number): void => {
  const { owned, spend } = avatarOf(model, uuid);
  const own = owned[productId];
  if (!own) spend.totalOwned += 1;
  owned[productId] = { quantity: (own?.quantity ?? 0) + 1, boughtAt: Math.min(own?.boughtAt ?? at, at) };
};

/** Does what a row about a purchase does: it comes in once, and spend and owned products follow. */
export const bringPurchase = (model: WithTold, id: string, row: ModelPurchase): Brought => {
  const { uuid, productId, price, at } = row;
  const known = model.told.purchases[id];
  if (known) {
    const isKnown = known.uuid === uuid && known.productId === productId && known.price === price && known.at === at;
    return isKnown ? 'unchanged' : 'refused';
  }
  model.told.purchases[id] = row;
  spendMore(model, uuid, price, at);
  ownMore(model, uuid, productId, at);
  return 'changed';
};

/** Does what a row about a sale does: it comes in once. Credit and copies stay, since other files have these. */
export const bringSale = (model: WithTold, id: string, row: ModelSale): Brought => {
  const known = model.sales[id];
  if (known) {
    const isSold = known.paid === row.paid && known.asked.buyer === row.asked.buyer;
    const isOther = !isSold || (row.state === 'refunded' && known.state !== 'refunded');
    return isOther ? 'refused' : 'unchanged';
  }
  model.sales[id] = structuredClone(row);
  if (row.state === 'completed') model.told.sales[id] = row.paid - row.change;
  const { asked, terms, state, at } = row;
  const { buyer, recipient, productId } = asked;
  if (state !== 'completed' || buyer === null || recipient === null) return 'changed';
  spendMore(model, buyer, row.paid - row.refund, at);
  ownMore(model, recipient, productId, at);
  const { uses } = avatarOf(model, buyer);
  if (terms.used) uses[terms.used.id] = (uses[terms.used.id] ?? 0) + 1;
  return 'changed';
};

/** The balances of a customer at another service. */
export interface ModelBalances {
  regular: number;
  restricted: number;
  /** The end of what is added here. */
  ends: string | undefined;
}

/** Applies a pass to a customer's credit. It becomes the other service's, unless this store has changed it. */
export const bringBalances = (
  model: WithTold,
  uuid: string,
  { ends, ...there }: ModelBalances,
  now: number,
): Brought => {
  if (model.touched[uuid]) return 'unchanged';
  const { credit } = avatarOf(model, uuid);
  const deltas = creditTypes.map((type) => [type, there[type] - spendable(credit[type], now)] as const);
  for (const [type, delta] of deltas) {
    const expiresAt = delta > 0 ? ends : undefined;
    const limit = Number.POSITIVE_INFINITY;
    if (delta !== 0) changeCredit(credit[type], { kind: 'increment', delta, expiresAt }, now, limit);
  }
  return deltas.some(([, delta]) => delta !== 0) ? 'changed' : 'unchanged';
};

/** L$ that were spent elsewhere: in the last year, and before. */
export interface ModelSpend {
  year: number;
  earlier: number;
}

const parts = ['year', 'earlier'] as const;

/** The purchases that carry what a customer has spent there. */
const carriedIds = (uuid: string): Record<keyof ModelSpend, string> => ({
  year: `move ${uuid} last year`,
  earlier: `move ${uuid} earlier`,
});

const isCarried = (id: string): boolean => id.startsWith('move ');

/** The L$ of a customer that imports have brought in single rows: purchases, and sales that they counted. */
const broughtOf = ({ told, sales }: WithTold, uuid: string, now: number): ModelSpend => {
  const sums = { year: 0, earlier: 0 };
  const add = (price: number, at: number): void => {
    sums[at > now - 364 * dayMillis ? 'year' : 'earlier'] += price;
  };
  for (const [id, one] of Object.entries(told.purchases))
    if (one.uuid === uuid && !isCarried(id)) add(one.price, one.at);
  for (const [id, paid] of Object.entries(told.sales)) if (sales[id]?.asked.buyer === uuid) add(paid, sales[id].at);
  return sums;
};

/** The carried purchases as a pass must have them in the end. */
const wantedOf = (model: WithTold, uuid: string, there: ModelSpend, now: number): ModelSpend => {
  const brought = broughtOf(model, uuid, now);
  return { year: Math.max(0, there.year - brought.year), earlier: Math.max(0, there.earlier - brought.earlier) };
};

const carriedOf = ({ told: { purchases } }: WithTold, uuid: string): ModelSpend => {
  const { year, earlier } = carriedIds(uuid);
  return { year: purchases[year]?.price ?? 0, earlier: purchases[earlier]?.price ?? 0 };
};

/**
 * Does what a pass has done to a customer's spend: these purchases carry it now. If rows have come since the pass read
 * what imports brought, it has taken less from the sum. False if it has taken what no import brought.
 */
export const bringSpend = (
  model: WithTold,
  uuid: string,
  there: ModelSpend,
  carried: Partial<Record<keyof ModelSpend, { price: number; at: number }>>,
): boolean => {
  const least = wantedOf(model, uuid, there, model.now);
  for (const part of parts) {
    const [one, id] = [carried[part], carriedIds(uuid)[part]];
    if (!one) continue;
    if (one.price < least[part] || one.price > there[part]) return false;
    const before = model.told.purchases[id];
    if (before) spendMore(model, uuid, -before.price, before.at);
    spendMore(model, uuid, one.price, one.at);
    model.told.purchases[id] = { ...one, uuid, productId: '' };
  }
  return true;
};

/** Tells whether a pass would leave a customer's spend as it is. */
export const isSpendBrought = (model: WithTold, uuid: string, there: ModelSpend, now: number): boolean => {
  const [is, wanted] = [carriedOf(model, uuid), wantedOf(model, uuid, there, now)];
  return parts.every((part) => is[part] === wanted[part]);
};

/** The settings of a customer go with them: see `move` of erasures. */
export const forgetTold = ({ told }: WithTold, uuid: string): void => {
  delete told.subscribers[uuid];
  delete told.settings[nameOf({ kind: 'customer', id: uuid })];
};

/** Puts a purchase under a pseudonym. One that carries a sum is called by its buyer. */
export const movePurchase = ({ told: { purchases } }: WithTold, id: string, uuid: string, pseudonym: string): void => {
  const purchase = purchases[id];
  if (purchase?.uuid !== uuid) return;
  delete purchases[id];
  const moved = isCarried(id) ? id.replace(uuid, pseudonym) : id;
  purchases[moved] = { ...purchase, price: purchase.price + (purchases[moved]?.price ?? 0), uuid: pseudonym };
};

/** All ways to choose one element from each list. */
const choices = <T>([first, ...others]: readonly (readonly T[])[]): T[][] =>
  first ? first.flatMap((one) => choices(others).map((more) => [one, ...more])) : [[]];

/**
 * Judges a sale by the settings as it may have read them, each at a moment of its own since its beginning. Most were
 * read as they are.
 */
export const asRead = <M extends WithTold>(model: M, begun: number, judge: (model: M) => boolean): boolean => {
  const byThing = Object.groupBy(
    model.told.earlier.filter(({ until }) => until >= begun),
    ({ thing: { kind, id, scope } }) => `${kind} ${id} ${scope}`,
  );
  const versions = Object.values(byThing).map((some = []) => [undefined, ...some]);
  if (versions.length === 0) return judge(model);
  for (const chosen of choices(versions)) {
    const trial = structuredClone(model);
    const read = chosen.filter((one) => one !== undefined);
    const now = read.map(({ thing }) => ({ thing, values: settingsOf(trial, thing) }));
    for (const { thing, values } of read) setSettings(trial, thing, values);
    if (!judge(trial)) continue;
    for (const { thing, values } of now) setSettings(trial, thing, values);
    Object.assign(model, trial);
    return true;
  }
  return false;
};
