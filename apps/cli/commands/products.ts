import { createHash } from 'node:crypto';
import { Option } from 'commander';
import { listCategories } from '../../../lib/catalogue/categories.ts';
import { now } from '../../../lib/clock.ts';
import { isSameText } from '../../../lib/normalise.ts';
import {
  linesOf,
  noteLines,
  type PriceChange,
  type PricedLine,
  type PricingRun,
  planPrices,
  pricingKey,
  putBackLine,
  readSelected,
  type Selection,
  setLine,
  type Terms,
} from '../../../lib/operator/prices.ts';
import { activePrice, type Discount, DiscountType } from '../../../lib/price.ts';
import type { Store } from '../../../lib/store/stores.ts';
import { type LineRuns, partOf, type RunOptions, referenceOption, refuseFaults, runLines } from '../books/run-lines.ts';
import { readProductFile } from '../data/product-file.ts';
import { openStore } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure, UsageError } from '../terminal/errors.ts';
import { parseBegin, parseEnd, parsePercent, parseProductIds, parseRise } from '../terminal/input.ts';
import { type Column, counted, print, shownTime } from '../terminal/output.ts';
import { addProductsSend } from './products-send.ts';

/** A time as the person typed it, and a function that returns the moment. The text identifies a repeated command. */
interface Moment {
  text: string;
  time: () => string;
}

const momentBy =
  (parse: (text: string) => () => string) =>
  (text: string): Moment => ({ text: text.trim(), time: parse(text) });

interface SetOptions extends RunOptions {
  all?: boolean;
  category?: string;
  products?: string[];
  file?: string;
  discount?: number;
  from?: Moment;
  until?: Moment;
  prices?: number;
}

/** A product in the preview, with price in L$ and discount before and after. */
interface SeenRow {
  id: string;
  name: string;
  price: number;
  newPrice: number;
  discount: Discount | undefined;
  newDiscount: Discount | undefined;
}

const percentOf = ({ value, type }: Discount): string =>
  type === DiscountType.percent ? `${value}%` : type === DiscountType.amountOff ? `L$ ${value} off` : `L$ ${value}`;

const shownDiscount = (discount: Discount | undefined): string | undefined => {
  if (!discount || (discount.value === 0 && discount.type !== DiscountType.overridePrice)) return undefined;
  const { startDate, endDate } = discount;
  const from = startDate === null ? '' : ` from ${shownTime(startDate)}`;
  return `${percentOf(discount)}${from}${endDate === null ? '' : ` until ${shownTime(endDate)}`}`;
};

const columns: Column<SeenRow>[] = [
  { heading: 'product', cell: ({ name }) => name, wraps: true },
  { heading: 'L$', cell: ({ price }) => price },
  { heading: 'then', cell: ({ newPrice }) => newPrice },
  { heading: 'discount', cell: ({ discount }) => shownDiscount(discount), wraps: true },
  { heading: 'then', cell: ({ newDiscount }) => shownDiscount(newDiscount), wraps: true },
];

interface Sums {
  products: number;
  prices: number;
  newPrices: number;
  /** The prices with discounts, at the time when the new discounts begin. */
  costs: number;
  newCosts: number;
}

const sumColumns: Column<Sums>[] = [
  { heading: 'products', cell: ({ products }) => products },
  { heading: 'sum of prices', cell: ({ prices }) => prices },
  { heading: 'then', cell: ({ newPrices }) => newPrices },
  { heading: 'with discounts', cell: ({ costs }) => costs },
  { heading: 'then', cell: ({ newCosts }) => newCosts },
];

/** The time when the new discount begins, or now if that is later. */
const timeOf = ({ newDiscount }: SeenRow): number => Math.max(now(), Date.parse(newDiscount?.startDate ?? '') || 0);

const noDiscount: Discount = { value: 0, type: DiscountType.percent, startDate: null, endDate: null };

const sumsOf = (rows: readonly SeenRow[]): Sums => {
  const sums: Sums = { products: rows.length, prices: 0, newPrices: 0, costs: 0, newCosts: 0 };
  for (const row of rows) {
    sums.prices += row.price;
    sums.newPrices += row.newPrice;
    sums.costs += activePrice(row.price, row.discount ?? noDiscount, timeOf(row));
    sums.newCosts += activePrice(row.newPrice, row.newDiscount ?? noDiscount, timeOf(row));
  }
  return sums;
};

/** A product that was not set, or not put back. */
interface LeftProduct {
  id: string;
  name: string;
  why: string;
}

const leftColumns: Column<LeftProduct>[] = [
  { heading: 'product', cell: ({ name }) => name, wraps: true },
  { heading: 'id', cell: ({ id }) => id },
  { heading: 'why', cell: ({ why }) => why, wraps: true },
];

const refuseProducts = (faults: readonly string[]): void => refuseFaults(faults, 'product', 'cannot be set');

/** The id of the category that a person names, by id or name. */
const categoryOf = async ({ id, name }: Store, wanted: string): Promise<string> => {
  const categories = await listCategories(id)({ descending: false });
  const text = wanted.trim().toLowerCase();
  const named = categories.filter((one) => one.id === text || isSameText(one.name, wanted));
  const [first, ...others] = named;
  const choice = categories.map((one) => `  ${one.name} (${one.id})`).join('\n');
  if (!first) throw new Failure(`${name} has no category ${wanted}. There are:\n${choice}`);
  if (others.length > 0) throw new UsageError(`Several categories have the name ${wanted}: give the id.\n${choice}`);
  return first.id;
};

const selectors = '--all, --category, --products or --file';

/** The products that the options name; undefined if they name none. */
const selectionOf = async (store: Store, options: SetOptions): Promise<Selection | undefined> => {
  const { all, category, products, file } = options;
  const given = [all, category, products, file].filter((one) => one !== undefined);
  if (given.length > 1) throw new UsageError(`Give one of ${selectors}.`);
  if (all) return { all };
  if (category !== undefined) return { category: await categoryOf(store, category) };
  if (products) return { ids: [...new Set(products)].sort() };
  if (file === undefined) return undefined;
  const { lines, faults } = await readProductFile(store.id, file);
  refuseProducts(faults.map(({ text }) => text));
  return { ids: [...lines].sort() };
};

/** The change that the options name. Throws if they contradict each other. */
const changeOf = ({ discount, from, until, prices }: SetOptions): PriceChange => {
  if ((from || until) && !discount)
    throw new UsageError('--from and --until are the dates of a discount: give --discount above 0 too.');
  const startDate = from?.time() ?? null;
  const endDate = until?.time() ?? null;
  if (endDate !== null && Date.parse(endDate) <= now())
    throw new UsageError(`--until must be in the future: ${endDate} has passed.`);
  if (startDate !== null && endDate !== null && endDate <= startDate)
    throw new UsageError('--until must be later than --from.');
  return {
    percent: prices,
    discount: discount === undefined ? undefined : { ...noDiscount, value: discount, startDate, endDate },
  };
};

/** Identifies a repeated command by the typed text, since a duration such as 14d means another time tomorrow. */
const digestOf = (selection: Selection, { discount, from, until, prices }: SetOptions): string =>
  createHash('sha256')
    .update(JSON.stringify([selection, discount, from?.text, until?.text, prices]))
    .digest('hex');

type Pricing = LineRuns<PricingRun, PricedLine, LeftProduct>;

const words: Pricing['words'] = {
  about: 'selection or change',
  line: 'product',
  do: ['set', 'set', 'Setting'],
  undo: ['put back', 'put back', 'Putting back'],
};

const leftProduct = ({ id, name }: PricedLine, why: string): LeftProduct => ({ id, name, why });

const rowOf = (product: Pick<SeenRow, 'id' | 'name'>, stored: Terms, before: Terms, after: Terms): SeenRow => {
  const { id, name } = product;
  const had = { ...stored, ...before };
  const has = { ...had, ...after };
  const { price = 0, discount } = had;
  return { id, name, price, newPrice: has.price ?? price, discount, newDiscount: has.discount };
};

/** Shows the lines of a run that are still to be set or put back, with the products as they are now. */
const showRun = async (store: string, run: PricingRun, isUndo: boolean): Promise<number> => {
  const lines = await linesOf(store, run);
  const open = lines.filter(({ setAt, putBackAt }) => (isUndo ? setAt && !putBackAt : !setAt));
  const products = await readSelected(store, { ids: open.map(({ id }) => id) });
  const storedOf = new Map(products.map((product) => [product.sk, product]));
  const rows = open.map((line) => {
    const { price, discount } = storedOf.get(line.id) ?? {};
    const stored: Terms = { ...(price !== undefined && { price }), ...(discount && { discount }) };
    return rowOf(line, stored, {}, isUndo ? line.before : line.after);
  });
  print(rows, columns, `The run ${run.sk} has nothing left to ${isUndo ? 'put back' : 'set'}.`);
  return open.length;
};

/** The products and the change of a run that has not begun. */
interface Plan {
  selection: Selection;
  change: PriceChange;
}

const planOf = async (store: string, { selection, change }: Plan) => {
  const products = await readSelected(store, selection);
  const known = new Set(products.map(({ sk }) => sk));
  const strangers = 'ids' in selection ? selection.ids.filter((id) => !known.has(id)) : [];
  const { lines, faults } = planPrices(products, change);
  const unknown = strangers.map((id) => `the store has no product ${id}: correct the id, or leave it out`);
  refuseProducts([...unknown, ...faults]);
  if (lines.length === 0) throw new Failure(`Nothing would change: ${counted(products.length, 'product')} looked at.`);
  const rows = lines.map(({ product, before, after }) => rowOf(product, product, before, after));
  print(rows, columns);
  print(sumsOf(rows), sumColumns);
  return lines;
};

const reasons = {
  changed: 'skipped: somebody has changed it since the preview. See it, and set it under another reference',
  gone: 'skipped: the store does not have it any more',
};

const pricingOf = (store: string, plan: Plan | undefined, options: SetOptions): Pricing => {
  const { reference, undo = false } = options;
  let planned: Awaited<ReturnType<typeof planOf>> = [];
  const digest = plan && digestOf(plan.selection, options);
  return {
    words,
    key: pricingKey(store, reference),
    digest,
    preview: async (earlier) => {
      if (earlier) return showRun(store, earlier, undo);
      if (plan) planned = await planOf(store, plan);
      return planned.length;
    },
    begin: async (facts) => ({
      ...facts,
      digest: digest ?? '',
      lines: planned.length,
      list: await noteLines(store, planned),
    }),
    lines: (run) => linesOf(store, run),
    doLine: async (line) => {
      const outcome = await setLine(store, line);
      return outcome === 'set' ? [] : [leftProduct(line, reasons[outcome])];
    },
    undoLine: async (line) => {
      const outcome = await putBackLine(store, line);
      return outcome === 'changed' ? [leftProduct(line, 'has another price or discount than the run set')] : [];
    },
    leftLine: leftProduct,
    columns: leftColumns,
    logged: { do: 'products.set', undo: 'products.put_back' },
    facts: () => ({ ...plan?.change }),
    undone: (lines, left) => ({ lines: lines.length - left.length }),
    sentence: (lines, left, isUndo) =>
      `${isUndo ? 'Put back' : 'Set'}: ${partOf(lines.length - left.length, lines.length, 'product')}.`,
  };
};

const set = async (options: SetOptions): Promise<void> => {
  const place = await openStore(options);
  const selection = await selectionOf(place.store, options);
  const isChange = options.discount !== undefined || options.prices !== undefined;
  const isToldByReference = options.undo && !selection && !isChange;
  if (!selection && !isToldByReference) throw new UsageError(`Say which products: give ${selectors}.`);
  if (!isChange && !isToldByReference) throw new UsageError('Say what changes: give --discount, --prices or both.');
  const plan = selection && { selection, change: options.undo ? {} : changeOf(options) };
  await runLines(pricingOf(place.store.id, plan, options), place, options);
};

export const addProducts = (program: StoreCommand): void => {
  const products = program
    .command('products')
    .description('Products: set prices and discounts of many, and send new versions to their owners.');

  products
    .command('set')
    .description(
      'Sets a discount, or changes prices by percent, for many products. Shows each before and after, and asks. The same command again goes on where it was, and sets nothing twice.',
    )
    .addOption(new Option('--all', 'all active products').conflicts(['category', 'products', 'file']))
    .option('--category <id or name>', 'the active products of a category')
    .option('--products <ids>', 'these products, by UUID, separated by commas', parseProductIds)
    .option('--file <file>', 'the products of a CSV or NDJSON file with the column id')
    .option('--discount <percent>', 'the discount; 0 ends it', parsePercent)
    .option('--from <time>', 'when the discount begins; at once unless given', momentBy(parseBegin))
    .option('--until <time>', 'when the discount ends; never unless given', momentBy(parseEnd))
    .option('--prices <percent>', 'how prices change, such as 10 or -10; half a L$ rounds up', parseRise)
    .requiredOption(...referenceOption)
    .option('--dry-run', 'show what would be set, and set nothing')
    .option('--undo', 'put back what is as the run has set it, and list the rest')
    .option('--yes', 'set without asking')
    .examples(
      'store products set --all --discount 20 --from 2030-12-24 --until 2030-12-26 --reference XMAS --dry-run',
      'store products set --category Coats --prices -10 --reference SPRING --yes',
      'store products set --reference XMAS --undo',
    )
    .runs(set);

  addProductsSend(products);
};
