import { timestamp } from '../../lib/clock.ts';
import { appliedImporter } from '../../lib/operator/imports/applied-coupons.ts';
import { couponImporter } from '../../lib/operator/imports/coupons.ts';
import { customerImporter } from '../../lib/operator/imports/customers.ts';
import { productImporter } from '../../lib/operator/imports/products.ts';
import { purchaseImporter } from '../../lib/operator/imports/purchases.ts';
import { type Fault, type Importer, type Setting, writeRows } from '../../lib/operator/imports/rows.ts';
import { type SaleFields, saleImporter } from '../../lib/operator/imports/sales.ts';
import type { ModelCoupon, ModelSale } from '../../test/support/model/sales.ts';
import {
  asRead,
  type Brought,
  bringApplication,
  bringCoupon,
  bringProduct,
  bringPurchase,
  bringSale,
  bringSettings,
  type How,
} from '../../test/support/model/told.ts';
import { type Part, send } from './client.ts';
import { isErased } from './erased-items.ts';
import type { Operation, Seen } from './operation.ts';
import { nameOfWords, type Word } from './words.ts';
import { type State, start, type World } from './world.ts';

/** Imports of files of every kind, new ones and old ones. Each file is one row, so that an operation has one effect. */

const dayMillis = 86_400_000;

const residentOf = ({ avatars }: World, uuid: string) => ({ uuid, username: `avatar${avatars.indexOf(uuid)}` });

/** Nearly always the first customer, so that rows about one customer meet. */
const customerOf = ({ machine, world }: Part): string => world.avatars[machine.random.of([0, 0, 0, 0, 1, 2])] as string;

/** A row, and what it does to the model. */
interface FileOf<F> {
  importer: () => Importer<F>;
  fields: F;
  setting?: Partial<Setting>;
  text: string;
  /** The avatar that it names. After an erasure the same avatar is another customer. */
  about: string;
  /** The item that it changes. */
  word: Pick<Word, 'kind' | 'id'> & { scope?: string };
  bring: (model: State, how: How) => Brought;
}

const isOwn = ({ kind, id, scope }: FileOf<unknown>['word'], { words }: { words: readonly Word[] }): boolean => {
  const [word, ...others] = words;
  return others.length === 0 && word?.kind === kind && word.id === id && (scope ?? word.scope) === word.scope;
};

const none: Partial<Pick<Word, 'before' | 'after'>> = {};

/** Says whether the effect of a file, or its answer without one, is what the model does. */
const isAsBrought = (part: Part, { word, bring, about }: FileOf<never>, model: State, seen: Seen): boolean => {
  const { answer, effect } = seen;
  const isSale = effect?.kind === 'sale' && effect.item.sk === word.id;
  if (effect && !isSale && !(effect.kind === 'words' && isOwn(word, effect))) return false;
  const shown = effect?.kind === 'words' ? effect.shown : 0;
  const { before, after } = effect?.kind === 'words' ? (effect.words[0] ?? none) : none;
  // Only a file has told of a new thing, even if another request has made the customer meanwhile.
  const isNew = before?.told === undefined && after?.told !== undefined;
  const done = bring(model, { shown, isNew });
  if (effect) return done === 'changed';
  const told = answer as string | Fault | undefined;
  if (typeof told === 'object') return done === 'refused' || isErased(part.machine.commits, about);
  return done === 'unchanged';
};

const fileOperation = <F>(part: Part, file: FileOf<F>): Operation => {
  const { world, name: operation } = part;
  const { importer, fields, setting, text } = file;
  const name = nameOfWords(operation, 'file');
  const run = async () =>
    (await writeRows(importer(), [{ line: 1, fields }], { store: world.store, ...setting }))[0]?.outcome;
  return {
    name,
    text: `${text}: ${JSON.stringify(fields)}`,
    // A row that is repeated after another file's may change something again.
    run: () => send({ ...part, name }, { isRepeatable: false }, run),
    judge: (model, seen) => isAsBrought(part, file as unknown as FileOf<never>, model, seen),
  };
};

const productFile = (part: Part): Operation => {
  const { machine, world } = part;
  const { random } = machine;
  // Runs and people change the price of the other product.
  const [id = ''] = world.products;
  const { name } = world.table.get({ pk: `${world.store}#PRODUCT`, sk: id }) as { name: string };
  const { price: before = 0, limited } = world.state.products[id] ?? {};
  const settings = {
    price: random.of([before, before, 70]),
    ...(random.chance(0.5) && { active: random.chance(0.7) }),
  };
  const copies = limited && random.chance(0.6) ? random.of([0, 3, 5]) : undefined;
  const setsStock = random.chance(0.4);
  return fileOperation(part, {
    importer: productImporter,
    fields: { id, name, ...settings, ...(copies !== undefined && { availableAmount: copies }) },
    setting: { setsStock },
    text: `file of the limited product${setsStock ? ' with its copies' : ''}`,
    about: '',
    word: { kind: 'PRODUCT', id },
    bring: (model, how) => bringProduct(model, id, { settings, copies }, { ...how, setsStock }),
  });
};

const customerFile = (part: Part): Operation => {
  const { machine, world } = part;
  const { random } = machine;
  const uuid = customerOf(part);
  const settings = {
    ...(random.chance(0.7) && { isBanned: random.chance(0.3) }),
    ...(random.chance(0.7) && { discount: random.of([0, 30, 60]) }),
    ...(random.chance(0.3) && { newsSubscriber: random.chance(0.5) }),
  };
  return fileOperation(part, {
    importer: () => customerImporter,
    fields: { resident: residentOf(world, uuid), ...settings },
    text: 'file of a customer',
    about: uuid,
    word: { kind: 'CUSTOMER', id: uuid },
    bring: (model, how) => bringSettings(model, { kind: 'customer', id: uuid }, settings, how),
  });
};

const couponFile = (part: Part): Operation => {
  const { machine, world } = part;
  const { random } = machine;
  const { id, code, owner } = world.state.coupons[0] as ModelCoupon;
  const settings = {
    ...(random.chance(0.5) && { discount: random.of([50, 20]) }),
    ...(random.chance(0.5) && { active: random.chance(0.7) }),
    ...(random.chance(0.5) && { usesPerCustomer: random.of([0, 1, 2]) }),
  };
  return fileOperation(part, {
    importer: () => couponImporter,
    fields: { id, code, owner: residentOf(world, owner), ...settings },
    text: 'file of the coupon',
    about: owner,
    word: { kind: 'COUPON', id },
    bring: (model, how) => bringCoupon(model, id, { owner, settings }, how),
  });
};

const appliedFile = (part: Part): Operation => {
  const { machine, world } = part;
  const { random } = machine;
  const uuid = customerOf(part);
  const couponId = random.of([...world.coupons, world.coupons[0] as string]);
  const product = random.chance(0.5) ? world.products[0] : undefined;
  const expiresAt = start + random.of([-2, 12, 30, 40]) * (dayMillis / 24);
  const scope = product ?? 'store';
  return fileOperation(part, {
    importer: () => appliedImporter,
    fields: {
      ...{ resident: residentOf(world, uuid), coupon: couponId, expiresAt: timestamp(expiresAt) },
      ...(product !== undefined && { product }),
    },
    text: 'file of an applied coupon',
    about: uuid,
    word: { kind: 'APPLIED', id: uuid, scope },
    bring: (model, how) => {
      model.now = start;
      return bringApplication(model, { kind: 'application', id: uuid, scope }, { couponId, expiresAt }, how);
    },
  });
};

const purchaseFile = (part: Part): Operation => {
  const { machine, world } = part;
  const { random } = machine;
  const uuid = customerOf(part);
  const number = random.of([0, 1, 1, 2]);
  const productId = world.products[number === 0 ? 1 : 0] as string;
  const at = start - (number === 2 ? 800 : 20) * dayMillis;
  const row = { uuid, productId, price: random.of([25, 25, 25, 26]), at };
  const id = `purchase ${number} of avatar ${world.avatars.indexOf(uuid)}`;
  return fileOperation(part, {
    importer: () => purchaseImporter,
    fields: {
      ...{ id, resident: residentOf(world, uuid), product: productId, price: row.price, at: timestamp(at) },
    },
    text: 'file of a purchase',
    about: uuid,
    word: { kind: 'PURCHASE', id },
    bring: (model) => {
      model.now = start;
      return bringPurchase(model, id, row);
    },
  });
};

/** A sale that another store made: from an earlier file, or from a file in which it is refunded. */
const toldSale = ({ machine: { random }, world }: Part, uuid: string, number: number): ModelSale => {
  const productId = world.products[number] as string;
  return {
    ...{ state: random.of(['completed', 'completed', 'refunded']), refusal: null, at: start - 9 * dayMillis },
    asked: { productId, buyer: uuid, recipient: uuid, useCredit: true },
    terms: {
      ...{ base: 50, discount: { source: 'none', percent: 0, couponId: null }, total: 50, credit: number * 10 },
      ...{ restrictedCredit: 0, toPay: 50 - number * 10, inGroup: false },
      used: number === 0 ? world.state.coupons[0] : undefined,
    },
    ...{ paid: 60, refund: 10 + number * 10, change: 10 + number * 10, shares: [] },
    ...{ refundedAt: null, refundReference: null, payOut: false, taken: { regular: [], restricted: [] } },
  };
};

const saleFields = (world: World, id: string, sale: ModelSale): SaleFields => {
  const { asked, terms, state, paid, change, at } = sale;
  const { base, discount, total, credit, restrictedCredit, used } = terms;
  const buyer = residentOf(world, asked.buyer ?? '');
  return {
    ...{ id, state, product: asked.productId, buyer, base, discount, total, credit, restrictedCredit, paid, change },
    refund: sale.refund,
    ...{ shares: [], taken: { regular: [], restricted: [] }, bonus: 0, bonusType: 'regular', deliveryId: null },
    coupon: used ? { ...used, couponOwnerUuid: residentOf(world, used.owner) } : { ownerProfit: 0, usesPerCustomer: 0 },
    ...{ at: timestamp(at), payOut: false, request: id },
    ...(state === 'refunded' && { refundedAt: timestamp(at + dayMillis), refundReference: 'before' }),
  };
};

const saleFile = (part: Part, onId: (id: string) => void): Operation => {
  const { machine, world } = part;
  const number = machine.random.below(2);
  const uuid = world.avatars[machine.random.of([0, 0, 0, 2])] as string;
  const id = `00000${number}${world.avatars.indexOf(uuid)}0-0000-4000-8000-000000000000`;
  const made = toldSale(part, uuid, number);
  const isOver = made.state === 'refunded';
  const sale = { ...made, ...(isOver && { refund: made.paid, refundReference: 'before' }) };
  onId(id);
  return fileOperation(part, {
    importer: () => saleImporter,
    fields: saleFields(world, id, sale),
    text: 'file of a sale',
    about: uuid,
    word: { kind: 'PURCHASE', id },
    bring: (model) => {
      model.now = start;
      return bringSale(model, id, sale);
    },
  });
};

/** A file of one row. `onId` hears of a sale that may be refunded later. */
export const importOperations = (part: Part, onId: (id: string) => void): Operation[] => {
  const choice = part.machine.random.below(12);
  if (choice < 3) return [productFile(part)];
  if (choice < 6) return [customerFile(part)];
  if (choice < 8) return [couponFile(part)];
  if (choice < 9) return [appliedFile(part)];
  if (choice < 10) return [purchaseFile(part)];
  return [saleFile(part, onId)];
};

/** A sale may use settings as it read them, before a word changed them. */
export const readingSettings = (operation: Operation): Operation => {
  const { judge } = operation;
  return judge
    ? { ...operation, judge: (model, seen) => asRead(model, seen.start, (of) => judge(of, seen)) }
    : operation;
};
