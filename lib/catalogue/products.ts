import { findResident } from '../avatars/residents.ts';
import { newId, now } from '../clock.ts';
import type { Identifier } from '../identifier.ts';
import { loaded, merged, type Source } from '../lists/source.ts';
import { searchForms, searchText } from '../normalise.ts';
import { activePrice } from '../price.ts';
import { invalid, notFound } from '../problem.ts';
import type { Product, ProductFields, ProductFilter } from '../routes/products.ts';
import type { SoldCard } from '../routes/rules.ts';
import { type Decision, decide, doFirst, writeAll, writeOne } from '../table/decide.ts';
import { partition, productKey } from '../table/keys.ts';
import {
  all,
  any,
  applied,
  exists,
  holds,
  is,
  isNew,
  missing,
  put,
  unchanged,
  update,
  updated,
} from '../table/language.ts';
import { repeat } from '../table/retry.ts';
import type { Key } from '../table/schema.ts';
import { get, getMany, type Precondition, rowsOf, write } from '../table/table.ts';
import {
  listMembersWith,
  movedMemberships,
  newSortState,
  type SortableProduct,
  type SortState,
  sortStateNames,
  sortStateOf,
} from './memberships.ts';
import {
  copiesOf,
  type DivisibleStock,
  makeWhole,
  readShares,
  type StockedProduct,
  stockOf,
  withAllCopies,
} from './stock.ts';

export interface StoredProduct extends Omit<Product, 'activePrice'>, Key, SortableProduct, DivisibleStock {
  /** The gift card that a sale of it makes. */
  giftCard?: SoldCard;
  /** A digest of its settings as an import or a move told them: see told.ts. */
  told?: string;
  /** The number of copies at the other side, as an import or a move told it. */
  toldCopies?: number;
  /** The categories that it has at the other side, as a move told them. */
  toldIn?: ReadonlySet<string>;
}

/** A product's item with the attributes of its indexes. */
interface IndexedProduct extends StoredProduct {
  flags?: string;
  texts?: string;
  text?: string;
}

/** No search may hold a control character, so no match spans the end of the name and the start of the description. */
const endOfName = '\u001f';

const searchedTexts = ({ name, description }: ProductFields): string =>
  `${searchText(name)}${endOfName}${searchText(description)}`;

const flagsOf = (active: boolean, listed: boolean, bloggable: boolean): string =>
  `${active ? '' : 'off'}${Number(listed)}${Number(bloggable)}`;

/** The index attributes of a product. A search in inactive products, which are few, reads the products themselves. */
const indexed = (store: string, fields: ProductFields) => {
  const flags = partition(store, 'PRODUCT', flagsOf(fields.active, fields.listed, fields.bloggable));
  return fields.active
    ? { flags, texts: flags, text: searchedTexts(fields) }
    : { flags, texts: undefined, text: undefined };
};

/** A product as the API answers it, with the copies that its item has. */
export const readProduct = (stored: IndexedProduct): Product => {
  const { pk, sk, flags, texts, text, sorted, sortedIn, unsorted, ...others } = stored;
  const { divided, wholeUntil, giftCard, told, toldCopies, toldIn, ...product } = others;
  return { ...product, activePrice: activePrice(product.price, product.discount, now()) };
};

/**
 * The item of a product. It is a new product, unless `sortState` says where its memberships are. `imported` are fields
 * that no request sets.
 */
export const productItem = (
  store: string,
  fields: ProductFields,
  imported: { id?: string; mpListing?: number } = {},
  sortState: SortState = newSortState,
): StoredProduct => {
  const product = { ...fields, id: newId(), mpListing: 0, ...imported };
  const index = Object.entries(indexed(store, fields)).filter(([, value]) => value !== undefined);
  return { ...productKey(store, product.id), ...Object.fromEntries(index), ...product, ...sortStateOf(sortState) };
};

export const createProduct = async (...args: Parameters<typeof productItem>): Promise<Product> => {
  const item = productItem(...args);
  const created = readProduct(item);
  await write(put(item, isNew), { answer: () => created });
  return created;
};

/** Replaces a product's fields. `mpListing` stays, and the memberships move with the flags. Throws 404, and 412. */
export const updateProduct = async (
  store: string,
  id: string,
  fields: ProductFields,
  ifMatch?: Precondition,
): Promise<Product> => {
  const key = productKey(store, id);
  const set = { ...fields, ...indexed(store, fields), wholeUntil: undefined };
  const { active, listed, bloggable } = fields;
  const sameFlags = all(is('active', active), is('listed', listed), is('bloggable', bloggable));
  const refile = async (found: StoredProduct | undefined): Promise<Decision<Product>> => {
    if (!found) throw notFound();
    if (found.divided !== undefined) {
      ifMatch?.(await getProduct(store, id));
      return doFirst(() => makeWhole(store, id));
    }
    ifMatch?.(readProduct(found));
    const { sortState, writes } = await movedMemberships(store, id, found, fields);
    const { sorted, sortedIn } = sortState;
    const change = updated(found, { set: { ...set, sorted, sortedIn }, when: unchanged(found, sortStateNames) });
    const after = applied(change, { ...found }) as unknown as StoredProduct;
    return writeAll([change, ...writes], { answer: readProduct(after) });
  };
  const isOneWrite = all(exists, missing('divided'), any(missing('sortedIn'), sameFlags));
  return decide(async (attempt) => {
    const found = attempt > 1 ? await findStoredProduct(store, id) : undefined;
    return attempt > 1 && !holds(isOneWrite, found && { ...found })
      ? refile(found)
      : writeOne<StoredProduct, Product>(update(key, { set, when: isOneWrite }), {
          answer: readProduct,
          ifMatch,
          ifRefused: refile,
        });
  });
};

export const findStoredProduct = (store: string, id: string): Promise<StoredProduct | undefined> =>
  get<StoredProduct>(productKey(store, id));

/**
 * A product as its item has it, inactive ones too. If the stock is divided, `availableAmount` counts only the copies in
 * the item. So this is for callers who do not need the number of copies.
 */
export const findProductItem = async (store: string, id: string): Promise<Product | undefined> => {
  const item = await findStoredProduct(store, id);
  return item && readProduct(item);
};

/** Throws 404. */
export const getProductItem = async (store: string, id: string): Promise<Product> => {
  const product = await findProductItem(store, id);
  if (!product) throw notFound();
  return product;
};

/** True if no copy of a limited product is left. A divided stock is gathered before its last copy is sold. */
export const isSoldOut = ({ limited, availableAmount, divided }: DivisibleStock): boolean =>
  limited && availableAmount === 0 && divided === undefined;

/** A product with all its copies, inactive ones too. Throws 503 if others divide and gather the stock all the time. */
export const findProduct = (store: string, id: string): Promise<StockedProduct | undefined> =>
  repeat(async () => {
    const item = await findStoredProduct(store, id);
    if (!item) return { result: undefined };
    const shares = await readShares(store, item);
    if (!shares) return undefined;
    const stock = stockOf(item, shares);
    const { giftCard } = item;
    const product = { ...readProduct(item), availableAmount: copiesOf(item, shares), ...(giftCard && { giftCard }) };
    return { result: stock ? { ...product, stock } : product };
  });

/** Throws 404. Inactive products are found too. */
export const getProduct = async (store: string, id: string): Promise<StockedProduct> => {
  const product = await findProduct(store, id);
  if (!product) throw notFound();
  return product;
};

/** True if the store has this product, active or not. */
export const hasProduct = async (store: string, id: string): Promise<boolean> =>
  (await findStoredProduct(store, id)) !== undefined;

/** These products as stored, each with all its copies. */
export const countProducts = (store: string, items: readonly StoredProduct[]): Promise<StoredProduct[]> =>
  withAllCopies(store, items, async (item) => {
    const product = await findProduct(store, item.sk);
    return product && { ...item, availableAmount: product.availableAmount };
  });

/** A store's products as stored, inactive ones too, in the order of their ids, each with all its copies. */
export const listStoredProducts =
  (store: string): Source<StoredProduct> =>
  async (range) =>
    countProducts(store, await rowsOf<StoredProduct>({ partition: partition(store, 'PRODUCT') })(range));

const either = [false, true];

interface ProductFlags {
  active: boolean;
  listed: boolean;
  bloggable: boolean;
}

/**
 * The rows of products with these flags, in one list for each combination. If there are texts, only rows that hold one
 * of them. Inactive products have no search texts in an index.
 */
const rowsWith = (
  store: string,
  flags: readonly ProductFlags[],
  forms: readonly string[],
): Source<{ sk: string; text?: string }>[] =>
  flags.map(({ active, listed, bloggable }) => {
    const byText = active && forms.length > 0;
    return rowsOf({
      partition: partition(store, 'PRODUCT', flagsOf(active, listed, bloggable)),
      index: byText ? 'byText' : 'byFlags',
      ...(byText && { contains: { attribute: 'text', texts: forms } }),
    });
  });

const allFlags = either.flatMap((listed) => either.map((bloggable) => ({ active: true, listed, bloggable })));

/** The forms of a search's term; none for a blank one. */
const formsOf = (search: string): string[] => searchForms(search).filter((form) => form !== '');

/** Ids and names of the products that the store has of these, by their ids. */
export const nameProducts = async (
  store: string,
  ids: readonly string[],
): Promise<Map<string, { id: string; name: string }>> => {
  const found = await getMany<StoredProduct>(ids.map((id) => productKey(store, id)));
  return new Map(found.map(({ id, name }) => [id, { id, name }]));
};

/** The first active products, by name and then id, whose name holds a text literally, in any case. */
export const productsNamed = async (
  store: string,
  search: string,
  most: number,
): Promise<{ id: string; name: string }[]> => {
  const forms = formsOf(search);
  const isNamed = (texts: string): boolean => forms.some((form) => texts.split(endOfName)[0]?.includes(form));
  const rows = await merged(rowsWith(store, allFlags, forms), ({ sk }) => sk)({ descending: false });
  const keys = rows.filter(({ text = '' }) => isNamed(text)).map(({ sk }) => productKey(store, sk));
  const found = (await getMany<StoredProduct>(keys)).filter((one) => one.active && isNamed(searchedTexts(one)));
  const named = found.sort((a, b) => (a.name === b.name ? (a.sk < b.sk ? -1 : 1) : a.name < b.name ? -1 : 1));
  return named.slice(0, most).map(({ id, name }) => ({ id, name }));
};

/**
 * The active products that pass the filter, or with `active` false the inactive ones, in the order of their ids. Flags
 * are part of an index's key, so the number of products does not change the cost. A search reads the index of search
 * texts. A category's products are read through its memberships, which have the flags in their keys too. A search in a
 * category or in inactive products reads the products themselves.
 */
export const listProducts = (store: string, { active = true, ...filter }: ProductFilter): Source<Product> => {
  const forms = formsOf(filter.search ?? '');
  const matches = (product: Product): boolean =>
    product.active === active &&
    product.listed === (filter.listed ?? product.listed) &&
    product.bloggable === (filter.bloggable ?? product.bloggable) &&
    (forms.length === 0 || forms.some((form) => searchedTexts(product).includes(form)));

  const flags = allFlags
    .filter(
      ({ listed, bloggable }) => listed === (filter.listed ?? listed) && bloggable === (filter.bloggable ?? bloggable),
    )
    .map((some) => ({ ...some, active }));
  const ids =
    filter.category === undefined
      ? merged(rowsWith(store, flags, forms), ({ sk }) => sk)
      : listMembersWith(store, filter.category, flags);
  return loaded(
    ids,
    ({ sk }) => sk,
    async (rows) => {
      const items = await getMany<StoredProduct>(rows.map(({ sk }) => productKey(store, sk)));
      return (await countProducts(store, items)).map(readProduct).filter(matches);
    },
  );
};

type RequestedShare = { percent: number; username?: Identifier | undefined; userUuid?: string | undefined };

/** The share's user, or the message of its fault. */
const userOf = async (store: string, { username, userUuid }: RequestedShare): Promise<{ uuid: string } | string> => {
  const named = [username, userUuid === undefined ? undefined : { uuid: userUuid }].filter(
    (name) => name !== undefined,
  );
  const [first, second] = await Promise.all(named.map((name) => findResident(store, name)));
  if (!first || (named.length > 1 && !second)) return 'names a resident who does not exist';
  return second && second.uuid !== first.uuid ? 'names two different residents by username and userUuid' : first;
};

const demoFault = async (store: string, demoId: string | null, id: string | undefined): Promise<string[]> => {
  const fine = demoId === null || (demoId !== id && (await hasProduct(store, demoId)));
  return fine ? [] : ['demoId must be the id of another product of the store, or null.'];
};

/**
 * Looks up the references in a product's body: the users of its profit shares, and its demo. `id` is the product's own
 * id, if it exists already. Throws 400 with every reference that leads nowhere, and for a user with two shares.
 */
export const resolveReferences = async (
  store: string,
  product: Omit<ProductFields, 'profitShares'> & { profitShares: RequestedShare[] },
  id?: string,
): Promise<ProductFields> => {
  const [users, faults] = await Promise.all([
    Promise.all(product.profitShares.map((share) => userOf(store, share))),
    demoFault(store, product.demoId, id),
  ]);
  const profitShares: ProductFields['profitShares'] = [];
  const seen = new Set<string>();
  for (const [index, { percent }] of product.profitShares.entries()) {
    const user = users[index];
    if (typeof user !== 'object') faults.push(`profitShares[${index}] ${user}.`);
    else if (seen.has(user.uuid)) faults.push(`profitShares[${index}] names a user who has a share already.`);
    else profitShares.push({ userUuid: user.uuid, percent });
    if (typeof user === 'object') seen.add(user.uuid);
  }
  if (faults.length > 0) throw invalid(...faults);
  return { ...product, profitShares };
};
