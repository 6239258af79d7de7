import type { ModelSale, SaleModel } from './sales.ts';
import { avatarOf } from './sales.ts';

/**
 * A second implementation of whose word counts (docs/adr/0062-whose-word-counts.md), written from the rules alone: what
 * a file does to a thing, with the words of this store beside it.
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
  /** By id. */
  purchases: Record<string, ModelPurchase>;
  earlier: Earlier[];
}

export const nothingTold = (): ToldModel => ({ subscribers: {}, purchases: {}, earlier: [] });

export interface WithTold extends SaleModel {
  told: ToldModel;
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

/** Changes settings; a sale that has read them before may count the earlier ones until `shown`. */
const change = (model: WithTold, thing: Thing, values: Settings, shown: number): void => {
  model.told.earlier.push({ thing, values: settingsOf(model, thing), until: shown });
  setSettings(model, thing, values);
};

const isSame = (a: Settings, b: Settings): boolean => Object.keys(a).every((name) => a[name] === b[name]);

/** Does what a row of a file does to settings: the word of a person, who has it now, is taken. */
export const bringSettings = (model: WithTold, thing: Thing, row: Settings, shown: number): Brought => {
  const here = settingsOf(model, thing) ?? {};
  const there = { ...here, ...row };
  if (isSame(there, here)) return 'unchanged';
  change(model, thing, there, shown);
  return 'changed';
};

/** A row about a product, which may tell of its copies too. */
export interface ProductRow {
  settings: Settings;
  copies?: number | undefined;
}

/** Does what a row of a file does to a product: copies of a limited one are set only where the file is asked to. */
export const bringProduct = (
  model: WithTold,
  id: string,
  { settings, copies }: ProductRow,
  setsStock: boolean,
  shown: number,
): Brought => {
  const product = model.products[id];
  if (!product) return 'refused';
  const brought = bringSettings(model, { kind: 'product', id }, settings, shown);
  if (!setsStock || copies === undefined || copies === product.stock) return brought;
  product.stock = copies;
  return 'changed';
};

/** Does what a row does to an applied coupon, the act of a customer: it is prolonged, unless it has lapsed. */
export const bringApplication = (
  model: WithTold,
  thing: Thing,
  row: { couponId: string; expiresAt: number },
  shown: number,
): Brought => {
  const here = settingsOf(model, thing);
  const isLive = here && Number(here.expiresAt) > model.now;
  if (isLive && (here.couponId !== row.couponId || Number(here.expiresAt) >= row.expiresAt)) return 'unchanged';
  if (row.expiresAt <= model.now) return 'unchanged';
  change(model, thing, { ...row }, shown);
  return 'changed';
};

const dayMillis = 86_400_000;

/** Counts L$ that a customer has spent elsewhere. Days of more than a year ago count in the sum alone. */
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
  const { asked, terms, state, at } = row;
  const { buyer, recipient, productId } = asked;
  if (state !== 'completed' || buyer === null || recipient === null) return 'changed';
  spendMore(model, buyer, row.paid - row.refund, at);
  ownMore(model, recipient, productId, at);
  const { uses } = avatarOf(model, buyer);
  if (terms.used) uses[terms.used.id] = (uses[terms.used.id] ?? 0) + 1;
  return 'changed';
};

/** The settings of a customer go with them: see `move` of erasures. */
export const forgetTold = ({ told }: WithTold, uuid: string): void => {
  delete told.subscribers[uuid];
};

/** Puts a purchase under a pseudonym. */
export const movePurchase = ({ told: { purchases } }: WithTold, id: string, uuid: string, pseudonym: string): void => {
  const purchase = purchases[id];
  if (purchase?.uuid === uuid) purchase.uuid = pseudonym;
};

/** All choices of one of each list. */
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
