import { discountFaults, productFaults, shareFault } from '../../../lib/product-rules.ts';
import type { ProductGiftCardResponse, ProductResponse, ProductUpsertRequest } from '../../client/client.ts';
import { nested } from '../../shared/nested.ts';
import { refuseWaiting } from '../../shared/waiting.ts';
import { isConflict } from '../api.ts';
import { isUuid } from '../format.ts';
import { readProduct } from '../listed.ts';
import { wordsOf } from '../messages.ts';
import type { Session } from '../session.ts';
import { planWords } from '../words/plan.ts';
import { readCategories } from './categories.ts';
import { type Change, finderOf, idsFrom, type Named, type PlannedRow, readEach, refusedRow, thingOf } from './plan.ts';
import { columnNamed, type ImportColumn, type ImportRow, shownValue, type Values } from './rows.ts';

const t = planWords;

/** A store with more products must use the command. */
const maxKnown = 20_000;

/** A product of the store, in the form of a file's row. */
interface KnownProduct extends Named {
  product: ProductResponse;
  isListed: boolean;
  /** The ids of its categories, if the file has a column for them. */
  categories: readonly string[];
  /** The gift card that its sales make, if the file has a column for it. */
  card: ProductGiftCardResponse;
}

/**
 * The facts about the store that a plan needs. `ids` and `categoryIds` have the UUIDs that the command makes from ids
 * that are not UUIDs.
 */
export interface KnownStore {
  products: readonly KnownProduct[];
  categories: readonly Named[];
  ids: ReadonlyMap<string, string>;
  categoryIds: ReadonlyMap<string, string>;
  /** The UUIDs of the residents named in shares, by that name. */
  people: ReadonlyMap<string, string>;
}

export interface ProductRow extends PlannedRow {
  row: ImportRow;
  known?: KnownProduct;
  /** The values that the product will have. A demo in the same file is `line N`. */
  wanted: Values;
}

const noCard: ProductGiftCardResponse = { credit: 0, texture: null };

/** A product's values by the columns of a file. */
const valuesOf = ({ product, isListed, categories, card }: KnownProduct): Values => ({
  ...product,
  listed: isListed,
  ...Object.fromEntries(Object.entries(product.permissions).map(([name, value]) => [`permissions.${name}`, value])),
  ...Object.fromEntries(Object.entries(product.discount).map(([name, value]) => [`discount.${name}`, value])),
  categories,
  'giftCard.credit': card.credit,
  'giftCard.texture': card.texture,
});

const defaultsOf = (columns: readonly ImportColumn[]): Values =>
  Object.fromEntries(columns.map(({ name, initial }) => [name, initial]));

interface Share {
  userUuid: string;
  percent: number;
}

/** Finds what rows refer to: demos, categories and people. Answers a sentence if something does not exist. */
const referencesIn = (rows: readonly ImportRow[], store: KnownStore) => {
  const products = finderOf(store.products);
  const categories = finderOf(store.categories);
  const one = <T>(some: readonly T[]): T | undefined => (some.length === 1 ? some[0] : undefined);
  const rowNamed = (text: string) =>
    one(rows.filter(({ values }) => values.id === text || (values.id === undefined && values.name === text)));
  const knownAs = (row: ImportRow): string | undefined => {
    const found = thingOf(row, products, store.ids);
    return 'fault' in found ? undefined : found.thing?.id;
  };
  return {
    products,
    demo: (text: string): string | undefined => {
      const known = products.byId.get(store.ids.get(text) ?? '') ?? one(products.named(text));
      if (known) return known.id;
      const row = isUuid(text) ? undefined : rowNamed(text);
      return row && (knownAs(row) ?? `line ${row.line}`);
    },
    category: (text: string): string | undefined =>
      (categories.byId.get(store.categoryIds.get(text) ?? '') ?? one(categories.named(text)))?.id,
    person: ({ userUuid }: Share): string | undefined =>
      isUuid(userUuid) ? userUuid.toLowerCase() : store.people.get(userUuid),
  };
};

type References = ReturnType<typeof referencesIn>;

/** The values of a row with ids instead of names, or a sentence for a name that refers to nothing. */
const resolved = ({ values }: ImportRow, { demo, category, person }: References): Values | string => {
  const found: Values = { ...values };
  if (typeof values.demoId === 'string') {
    found.demoId = demo(values.demoId);
    if (found.demoId === undefined) return t.faults.noDemo(values.demoId);
  }
  const wanted = (values.categories ?? []) as string[];
  const lost = wanted.find((text) => category(text) === undefined);
  if (lost !== undefined) return t.faults.noCategory(lost);
  if (values.categories) found.categories = [...new Set(wanted.map((text) => category(text) as string))].sort();
  const shares = (values.profitShares ?? []) as Share[];
  const stranger = shares.find((share) => person(share) === undefined);
  if (stranger) return t.faults.stranger(stranger.userUuid);
  if (values.profitShares) found.profitShares = shares.map((share) => ({ ...share, userUuid: person(share) }));
  return found;
};

/** The changed values, as cells show them. Ids are replaced by names. */
const changesOf = (
  columns: readonly ImportColumn[],
  given: Values,
  from: Values,
  to: Values,
  nameOf: (id: string) => string,
): Change[] =>
  Object.keys(given).flatMap((name): Change[] => {
    if (name === 'id') return [];
    const shown = (value: unknown): string => {
      const isReference = name === 'categories' || name === 'demoId';
      const text = shownValue(columnNamed(columns, name), value);
      return isReference ? text.split(';').filter(Boolean).map(nameOf).join('; ') : text;
    };
    const change = { field: name, from: shown(from[name]), to: shown(to[name]) };
    return shownValue(columnNamed(columns, name), from[name]) === shownValue(columnNamed(columns, name), to[name])
      ? []
      : [change];
  });

/** The values that a row gives a product. */
const wantedOf = (columns: readonly ImportColumn[], given: Values, known: KnownProduct | undefined): Values => {
  const wanted = { ...(known ? valuesOf(known) : defaultsOf(columns)), ...given };
  return { ...wanted, item: wanted.item ?? wanted.name };
};

/** The faults of values that are wrong only together, as the service would find them in the body. */
const faultsAcross = (columns: readonly ImportColumn[], given: Values, wanted: Values): string[] => {
  const faults: string[] = [];
  const report = (name: string, message: string): void => {
    const value = shownValue(columnNamed(columns, name), given[name] ?? wanted[name]);
    faults.push(t.faults.value(name, value.slice(0, 60), wordsOf(`${name} ${message}.`, name)));
  };
  const { discount } = nested(Object.entries(wanted)) as { discount: Values };
  discountFaults(discount, (name, message) => report(`discount.${name}`, message));
  productFaults({ ...wanted, item: wanted.item === wanted.name ? undefined : wanted.item }, report);
  const wrong = shareFault(wanted.profitShares as Share[]);
  if (wrong !== undefined) report('profitShares', wrong);
  return faults;
};

const lineOf = (demo: unknown): number | undefined => {
  const [, line] = /^line (\d+)$/.exec(String(demo)) ?? [];
  return line === undefined ? undefined : Number(line);
};

/**
 * The values of a row without the copies of a product that is limited and was so before: some may have been sold since.
 */
const withoutCopies = (given: Values, { product }: KnownProduct): { given: Values; kept?: string } => {
  const { availableAmount, ...others } = given;
  if (availableAmount === undefined || !product.limited || others.limited === false) return { given };
  const isSame = availableAmount === product.availableAmount;
  return isSame ? { given } : { given: others, kept: t.kept(product.availableAmount, Number(availableAmount)) };
};

const planProduct = (
  row: ImportRow,
  columns: readonly ImportColumn[],
  { ids }: KnownStore,
  { references, nameOf, setsCopies }: { references: References; nameOf: (id: string) => string; setsCopies: boolean },
): ProductRow => {
  const { line, values, faults } = row;
  const refused = (why: string): ProductRow => ({ ...refusedRow(row, values.name, why), row, wanted: {} });
  if (faults.length > 0) return refused(faults.join(' '));
  const found = thingOf(row, references.products, ids);
  if ('fault' in found) return refused(found.fault);
  const all = resolved(row, references);
  if (typeof all === 'string') return refused(all);
  const known = found.thing;
  const { given, kept } = known && !setsCopies ? withoutCopies(all, known) : { given: all };
  if ((given.mpListing ?? known?.product.mpListing ?? 0) !== (known?.product.mpListing ?? 0))
    return refused(t.faults.mpListing);
  const wanted = wantedOf(columns, given, known);
  const across = faultsAcross(columns, values, wanted);
  if (across.length > 0) return refused(across.join(' '));
  if (known && wanted.demoId === known.id) return refused(t.faults.ownDemo);
  const before = known ? valuesOf(known) : { ...defaultsOf(columns), item: wanted.name, name: wanted.name };
  const changes = changesOf(columns, 'item' in given ? { ...given, item: wanted.item } : given, before, wanted, nameOf);
  const after = lineOf(wanted.demoId);
  const outcome = known ? (changes.length > 0 ? 'change' : 'same') : 'create';
  const name = String(wanted.name);
  const more = { ...(known && { known }), ...(after !== undefined && { after }), ...(kept && { kept }) };
  return { line, name, row, wanted, outcome, changes, ...more };
};

/** True if the demos lead from the row back to the row. */
const isCircle = (row: PlannedRow, byLine: ReadonlyMap<number, PlannedRow>): boolean => {
  const seen = new Set<number>();
  for (let at = row.after; at !== undefined; at = byLine.get(at)?.after) {
    if (at === row.line) return true;
    if (seen.has(at)) return false;
    seen.add(at);
  }
  return false;
};

/** Refuses rows about the same product, demos that lead in a circle, and rows whose demo is refused. */
const refuseTogether = (rows: readonly ProductRow[]): ProductRow[] => {
  const planned = new Map<number, ProductRow>(rows.map((row) => [row.line, row]));
  const byLine = new Map(planned);
  const taken = new Map<string, number>();
  const refuse = (row: ProductRow, why: string): void => {
    byLine.set(row.line, { ...refusedRow(row, row.name, why), row: row.row, wanted: row.wanted });
  };
  const isRefused = (line: number): boolean => byLine.get(line)?.outcome === 'refused';
  for (const row of rows) {
    if (isRefused(row.line)) continue;
    const place = row.known?.id ?? `name ${row.name}`;
    const other = taken.get(place);
    if (other !== undefined) refuse(row, t.faults.twin(other));
    else if (isCircle(row, planned)) refuse(row, t.faults.circle);
    else taken.set(place, row.line);
  }
  refuseWaiting(
    rows.filter(({ line, after }) => after !== undefined && !isRefused(line)),
    ({ after = 0 }) => [after],
    isRefused,
    (row) => refuse(row, t.faults.noDemo(String(row.row.values.demoId))),
  );
  return [...byLine.values()];
};

/** Says what each row would do. Limited products keep their copies, unless it `setsCopies`. */
export const planProducts = (
  rows: readonly ImportRow[],
  columns: readonly ImportColumn[],
  store: KnownStore,
  setsCopies = false,
): ProductRow[] => {
  const references = referencesIn(rows, store);
  const names = new Map([...store.products, ...store.categories].map(({ id, name }) => [id, name]));
  const nameOf = (id: string): string => names.get(id) ?? id;
  const how = { references, nameOf, setsCopies };
  return refuseTogether(rows.map((row) => planProduct(row, columns, store, how)));
};

const has = (rows: readonly ImportRow[], name: string): boolean => rows.some(({ values }) => name in values);

const textsIn = (rows: readonly ImportRow[], ...names: string[]): string[] =>
  rows.flatMap(({ values }) =>
    names.flatMap((name) => [values[name]].flat().filter((one): one is string => typeof one === 'string')),
  );

/** All products of a store. Undefined if there are too many. */
const readProducts = async (
  { client }: Session,
  onDone: (done: number) => void,
): Promise<KnownProduct[] | undefined> => {
  const read: KnownProduct[] = [];
  for (const active of [true, false])
    for (const listed of [true, false])
      for await (const product of client.rows('/v1/products', { query: { active, listed, limit: 1000 } })) {
        if (read.length === maxKnown) return undefined;
        const { id, name } = product;
        read.push({ id, name, product, isListed: listed, categories: [], card: noCard });
        if (read.length % 100 === 0) onDone(read.length);
      }
  return read;
};

/** The categories of each product, by the product's id. */
const readMemberships = async ({ client }: Session, categories: readonly Named[]): Promise<Map<string, string[]>> => {
  const of = new Map<string, string[]>();
  for (const { id: category } of categories)
    for (const active of [true, false])
      for await (const { id } of client.rows('/v1/products', { query: { category, active, limit: 1000 } }))
        of.set(id, [...(of.get(id) ?? []), category].sort());
  return of;
};

/** The residents named in shares, by that name. Unknown ones are left out. */
const readPeople = async ({ client }: Session, rows: readonly ImportRow[]): Promise<Map<string, string>> => {
  const shares = rows.flatMap(({ values, faults }) =>
    faults.length > 0 ? [] : ((values.profitShares ?? []) as Share[]),
  );
  const names = [...new Set(shares.map(({ userUuid }) => userUuid).filter((user) => !isUuid(user)))];
  const read = async (identifier: string): Promise<[string, string][]> => {
    const path = { identifier };
    const found = await client.get('/v1/customers/{identifier}', { path }).catch(() => undefined);
    return found ? [[identifier, found.uuid]] : [];
  };
  return new Map((await readEach(names, read, () => undefined)).flat());
};

/** Reads what the plan of these rows needs to know about the store. Undefined if it has too many products. */
export const readStore = async (
  session: Session,
  rows: readonly ImportRow[],
  onDone: (done: number) => void,
): Promise<KnownStore | undefined> => {
  const { client, store } = session;
  const products = await readProducts(session, onDone);
  if (!products) return undefined;
  const ids = await idsFrom(store.id, 'products', textsIn(rows, 'id', 'demoId'));
  const named = new Set(rows.flatMap(({ values }) => [values.name, ids.get(String(values.id))]));
  const isInFile = ({ id, name }: Named): boolean => named.has(name) || named.has(id);
  const categories = has(rows, 'categories') ? await readCategories(session) : [];
  const memberships = await readMemberships(session, categories);
  const withCards = has(rows, 'giftCard.credit') || has(rows, 'giftCard.texture');
  const readOne = async (one: KnownProduct): Promise<KnownProduct> => ({
    ...one,
    categories: memberships.get(one.id) ?? [],
    card:
      withCards && isInFile(one) ? await client.get('/v1/products/{id}/giftcard', { path: { id: one.id } }) : noCard,
  });
  return {
    products: await readEach(products, readOne, () => undefined),
    categories,
    ids,
    categoryIds: await idsFrom(store.id, 'categories', textsIn(rows, 'categories')),
    people: await readPeople(session, rows),
  };
};

/** The request's body made of values, without values that have requests of their own. */
const bodyOf = (values: Values): ProductUpsertRequest => {
  const names = ['name', 'price', 'image', 'listed', 'bloggable', 'availableAmount', 'limited', 'item', 'blockCredits'];
  const isOfBody = (name: string): boolean =>
    [...names, 'description', 'profitShares', 'demoId', 'active'].includes(name) ||
    /^(?:permissions|discount)\./.test(name);
  return nested(Object.entries(values).filter(([name]) => isOfBody(name))) as unknown as ProductUpsertRequest;
};

const isOwnRow = ({ field }: Change): boolean => field === 'categories' || field.startsWith('giftCard.');

/** Puts a product into its categories, and removes it from the others. */
const moveProduct = async ({ client }: Session, productId: string, from: readonly string[], to: readonly string[]) => {
  const row = '/v1/categories/{id}/products/{productId}';
  for (const id of to) if (!from.includes(id)) await client.post(row, { path: { id, productId } });
  for (const id of from) if (!to.includes(id)) await client.delete(row, { path: { id, productId } });
};

/**
 * Makes or changes a product. If somebody has changed the same values since the plan, it answers a sentence instead.
 */
const upsert = async (
  session: Session,
  { known, wanted, changes }: ProductRow,
  columns: readonly ImportColumn[],
): Promise<string | { fault: string }> => {
  const { client } = session;
  if (!known) return (await client.post('/v1/products', { body: bodyOf(wanted) })).id;
  const path = { id: known.id };
  const planned = changes.filter((change) => !isOwnRow(change));
  if (planned.length === 0) return known.id;
  // The change carries the version that is read here, which does not tell whether the product is listed.
  const now = { ...known, ...(await readProduct(session, known.id)) };
  const fields = planned.map(({ field }) => field);
  const isSame = fields.every((field) => {
    const of = columnNamed(columns, field);
    return shownValue(of, valuesOf(now)[field]) === shownValue(of, valuesOf(known)[field]);
  });
  if (!isSame) return { fault: t.faults.changed };
  const given = Object.fromEntries(fields.map((field) => [field, wanted[field]]));
  try {
    await client.put('/v1/products/{id}', { path, body: bodyOf(wantedOf(columns, given, now)) });
    return known.id;
  } catch (error) {
    if (isConflict(error)) return { fault: t.faults.changed };
    throw error;
  }
};

/** Writes a product with its card and its categories. `made` has the ids of the lines that were written earlier. */
export const writeProduct = async (
  session: Session,
  planned: ProductRow,
  columns: readonly ImportColumn[],
  made: Map<number, string>,
): Promise<string | undefined> => {
  const { known, wanted, line, after, changes } = planned;
  const demoId = after === undefined ? wanted.demoId : made.get(after);
  if (after !== undefined && demoId === undefined) return t.faults.noDemo(String(planned.row.values.demoId));
  const id = await upsert(session, { ...planned, wanted: { ...wanted, demoId } }, columns);
  if (typeof id !== 'string') return id.fault;
  made.set(line, id);
  if (changes.some(({ field }) => field.startsWith('giftCard.'))) {
    const body = { credit: wanted['giftCard.credit'] as number, texture: wanted['giftCard.texture'] as string | null };
    await session.client.put('/v1/products/{id}/giftcard', { path: { id }, body });
  }
  if (changes.some(({ field }) => field === 'categories'))
    await moveProduct(session, id, known?.categories ?? [], wanted.categories as string[]);
  return undefined;
};
