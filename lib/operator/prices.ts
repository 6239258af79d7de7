import { listMembers } from '../catalogue/categories.ts';
import { memberOf } from '../catalogue/memberships.ts';
import type { StoredProduct } from '../catalogue/products.ts';
import { newId, now, timestamp } from '../clock.ts';
import { everyRow, type Source } from '../lists/source.ts';
import { type Discount, lessPercent } from '../price.ts';
import { maxInteger } from '../routes/wire.ts';
import { answer, decide, recheck, writeAll } from '../table/decide.ts';
import { partition, productKey } from '../table/keys.ts';
import { all, exists, holds, is, isNew, missing, present, put, update, updated } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import type { Stamped } from '../table/stamp.ts';
import { get, getMany, getTogether, inChunks, rowsOf, transact } from '../table/table.ts';
import type { Run } from './runs.ts';

/**
 * Sets prices and discounts of many products, each product at most once. A line notes what the product had when the
 * person saw it. The transaction that sets the product marks the line. It is refused if somebody has changed the
 * product since. Sales leave no stamp, so they do not count as a change.
 */

/** A run of `store products set`. The run and its lines are kept for ever. */
export interface PricingRun extends Run {
  /** The id of the list of its lines, which exist before the run. */
  list: string;
}

/** The price and the discount that a run sets. A member is missing if the product has its value already. */
export interface Terms {
  price?: number;
  discount?: Discount;
}

/** A product of a run, with its terms in the preview and the terms that it gets. */
export interface PricedLine extends Key {
  id: string;
  name: string;
  /** The stamp of the product in the preview. Somebody has changed the product if its stamp differs. */
  version?: string;
  before: Terms;
  after: Terms;
  /** Present exactly if the run has set the product. */
  setAt?: string;
  /** Present exactly if an undo has restored what the product had. */
  putBackAt?: string;
}

export const pricingKey = (store: string, reference: string): Key => ({
  pk: partition(store, 'PRICING'),
  sk: reference,
});

const pricedKey = (store: string, list: string, id: string): Key => ({
  pk: partition(store, 'PRICED'),
  sk: `${list}#${id}`,
});

/** The products of a run: only active ones, unless they are named. */
export type Selection = { all: true } | { category: string } | { ids: readonly string[] };

/** A discount for every product, or none, and the percentage by which prices rise (or fall, below 0). */
export interface PriceChange {
  discount?: Discount | undefined;
  percent?: number | undefined;
}

/** A product as a preview reads it. */
export type SeenProduct = StoredProduct & Stamped;

const listAll = (store: string): Source<SeenProduct> => rowsOf<SeenProduct>({ partition: partition(store, 'PRODUCT') });

const collected = async <T>(rows: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const row of rows) found.push(row);
  return found;
};

/** The present products of a selection, by id. Named products that the store does not have are left out. */
export const readSelected = async (store: string, selection: Selection): Promise<SeenProduct[]> => {
  if ('all' in selection)
    return (await collected(everyRow(listAll(store), ({ sk }) => sk))).filter(({ active }) => active);
  const ids =
    'ids' in selection
      ? selection.ids
      : (await collected(everyRow(listMembers(store, selection.category), ({ sk }) => sk))).map(memberOf);
  const keys = [...new Set(ids)].sort().map((id) => productKey(store, id));
  const found = await getMany<SeenProduct>(keys, { consistent: true });
  return 'ids' in selection ? found : found.filter(({ active }) => active);
};

const isSame = (a: Discount, b: Discount): boolean =>
  a.value === b.value && a.type === b.type && a.startDate === b.startDate && a.endDate === b.endDate;

/** The terms of a product before and after a change. Undefined if the change would not change the product. */
const termsOf = ({ price, discount }: SeenProduct, change: PriceChange) => {
  const newPrice = change.percent === undefined ? price : lessPercent(price, -change.percent);
  const newDiscount = change.discount && !isSame(discount, change.discount) ? change.discount : undefined;
  if (newPrice === price && !newDiscount) return undefined;
  const before: Terms = { ...(newPrice !== price && { price }), ...(newDiscount && { discount }) };
  const after: Terms = {
    ...(newPrice !== price && { price: newPrice }),
    ...(newDiscount && { discount: newDiscount }),
  };
  return { before, after };
};

/** A line that is not noted yet, with its product. */
export interface PlannedLine {
  product: SeenProduct;
  before: Terms;
  after: Terms;
}

/** The lines of a change, and a sentence for each product whose price would be too high. */
export const planPrices = (products: readonly SeenProduct[], change: PriceChange) => {
  const lines: PlannedLine[] = [];
  const faults: string[] = [];
  for (const product of products) {
    const terms = termsOf(product, change);
    if (terms?.after.price !== undefined && terms.after.price > maxInteger)
      faults.push(`${product.name} would cost L$ ${terms.after.price}, above ${maxInteger}: give a smaller --prices`);
    else if (terms) lines.push({ product, ...terms });
  }
  return { lines, faults };
};

/** The most items of one transaction. */
const together = 100;

/** Notes the lines of a run before it begins. Answers the id of their list. */
export const noteLines = async (store: string, planned: readonly PlannedLine[]): Promise<string> => {
  const list = newId();
  const puts = planned.map(({ product: { sk: id, name, stamp }, before, after }) => {
    const line: PricedLine = { ...pricedKey(store, list, id), id, name, before, after };
    return put(stamp === undefined ? line : { ...line, version: stamp }, isNew);
  });
  for (const some of inChunks(puts, together)) await transact(some);
  return list;
};

/** The lines of a run, by the products' ids. */
export const linesOf = (store: string, { list }: PricingRun): Promise<PricedLine[]> =>
  rowsOf<PricedLine>({ partition: partition(store, 'PRICED'), first: `${list}#`, last: `${list}#g` })({
    descending: false,
  });

const conditionsOf = (terms: Terms) => Object.entries(terms).map(([name, value]) => is(name, value));

/**
 * Sets the product of a line, unless that was done before. Answers `changed` if the product differs from the preview,
 * and `gone` if it does not exist any more.
 */
export const setLine = async (store: string, line: PricedLine): Promise<'set' | 'changed' | 'gone'> => {
  if (line.setAt !== undefined) return 'set';
  const { version, after } = line;
  // The preview's stamp says all that is needed here, so the product is not read.
  const found: Key & Stamped = { ...productKey(store, line.id), ...(version !== undefined && { stamp: version }) };
  const product = updated(found, { set: { ...after }, when: all(exists, is('stamp', version)) });
  const mark = update(line, { set: { setAt: timestamp(now()) }, when: all(exists, missing('setAt')) });
  return decide<'set' | 'changed' | 'gone'>(() =>
    writeAll([product, mark], {
      result: 'set',
      ifRefused: ({ by }) => {
        if (by<PricedLine>(line)?.item?.setAt !== undefined) return answer('set');
        const refused = by(found);
        return refused && answer(refused.item ? 'changed' : 'gone');
      },
    }),
  );
};

/** Tells whether a line and its product, which were read one after the other, had these states at the same time. */
const wereTogether = async (store: string, line: PricedLine, product: SeenProduct | undefined): Promise<boolean> => {
  const { pk, sk, id } = line;
  const [lineNow, productNow] = await getTogether<PricedLine & SeenProduct>([{ pk, sk }, productKey(store, id)]);
  return lineNow?.putBackAt === line.putBackAt && productNow?.stamp === product?.stamp;
};

/**
 * Restores what the product of a line had, if it still has what the run set, unless that was done before. Only what the
 * run set is compared: a changed description is no obstacle.
 */
export const putBackLine = (store: string, { id, ...key }: PricedLine): Promise<'never' | 'put back' | 'changed'> =>
  decide<'never' | 'put back' | 'changed'>(async () => {
    const [line, product] = await Promise.all([get<PricedLine>(key), get<SeenProduct>(productKey(store, id))]);
    if (line?.setAt === undefined) return answer('never');
    if (line.putBackAt !== undefined) return answer('put back');
    const isAsSet = all(exists, ...conditionsOf(line.after));
    // While the run is still going, the product may have been read before it was set, and its line afterwards.
    if (!product || !holds(isAsSet, { ...product }))
      return recheck(() => wereTogether(store, line, product), answer('changed'));
    const back = updated(product, { set: { ...line.before }, when: isAsSet });
    const mark = { set: { putBackAt: timestamp(now()) }, when: all(present('setAt'), missing('putBackAt')) };
    // If the writes are refused, the line or the product has changed since it was read.
    return writeAll([back, update(key, mark)], { result: 'put back', ifRefused: () => undefined });
  });
