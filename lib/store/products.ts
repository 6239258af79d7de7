import { newId, now } from '../clock.ts';
import type { Identifier } from '../identifier.ts';
import { loaded, merged, type Source } from '../lists/source.ts';
import { searchForms, searchText } from '../normalise.ts';
import { activePrice } from '../price.ts';
import { invalid, notFound } from '../problem.ts';
import type { Product, ProductFields, ProductFilter } from '../routes/products.ts';
import { maxInteger } from '../routes/wire.ts';
import { allOf, type Decision, decide, one } from '../table/decide.ts';
import {
  above,
  all,
  any,
  applied,
  below,
  exists,
  is,
  isNew,
  missing,
  put,
  unchanged,
  update,
  updated,
  type Write,
} from '../table/language.ts';
import { type Key, partition } from '../table/schema.ts';
import { get, getMany, type Precondition, rowsOf, write } from '../table/table.ts';
import { type Filed, filingNames, filingOf, listMembersWith, notFiled, productKey, refiled } from './memberships.ts';
import { findResident } from './residents.ts';

export interface StoredProduct extends Omit<Product, 'activePrice'>, Key, Filed {}

/** With the attributes of the indexes. */
interface IndexedProduct extends StoredProduct {
  flags?: string;
  texts?: string;
  text?: string;
}

// No search may hold a control character, so a match cannot span the end of the name and the start of the description.
const textOf = ({ name, description }: ProductFields): string => `${searchText(name)}\u001f${searchText(description)}`;

const flagsOf = (listed: boolean, bloggable: boolean): string => `${Number(listed)}${Number(bloggable)}`;

/** The index attributes of a product: it is in the indexes while it is active. */
const indexed = (store: string, fields: ProductFields) => {
  const flags = partition(store, 'PRODUCT', flagsOf(fields.listed, fields.bloggable));
  return fields.active
    ? { flags, texts: flags, text: textOf(fields) }
    : { flags: undefined, texts: undefined, text: undefined };
};

/** A product as the contract answers it. */
export const readProduct = (stored: IndexedProduct): Product => {
  const { pk, sk, flags, texts, text, sorted, sortedIn, unsorted, ...product } = stored;
  return { ...product, activePrice: activePrice(product.price, product.discount, now()) };
};

/**
 * The item of a product, a new one unless `filed` says where its memberships are. `imported` are fields that no request
 * sets.
 */
export const productItem = (
  store: string,
  fields: ProductFields,
  imported: { id?: string; mpListing?: number } = {},
  filed: Pick<Filed, 'sorted' | 'sortedIn' | 'unsorted'> = notFiled,
): StoredProduct => {
  const product = { ...fields, id: newId(), mpListing: 0, ...imported };
  const index = Object.entries(indexed(store, fields)).filter(([, value]) => value !== undefined);
  return { ...productKey(store, product.id), ...Object.fromEntries(index), ...product, ...filingOf(filed) };
};

export const createProduct = async (...args: Parameters<typeof productItem>): Promise<Product> => {
  const item = productItem(...args);
  const created = readProduct(item);
  await write(put(item, isNew), { answer: () => created });
  return created;
};

/** Replaces a product's fields; `mpListing` stays, and the memberships move with the flags. Throws 404, and 412. */
export const updateProduct = async (
  store: string,
  id: string,
  fields: ProductFields,
  ifMatch?: Precondition,
): Promise<Product> => {
  const key = productKey(store, id);
  const set = { ...fields, ...indexed(store, fields) };
  const { active, listed, bloggable } = fields;
  const sameFlags = all(is('active', active), is('listed', listed), is('bloggable', bloggable));
  const refile = async (found: StoredProduct | undefined): Promise<Decision<Product>> => {
    if (!found) throw notFound();
    ifMatch?.(readProduct(found));
    const { filing, writes } = await refiled(store, id, found, fields);
    const { sorted, sortedIn } = filing;
    const change = updated(found, { set: { ...set, sorted, sortedIn }, when: unchanged(found, filingNames) });
    const after = applied(change, { ...found }) as unknown as StoredProduct;
    return allOf([change, ...writes], { answer: readProduct(after) });
  };
  return decide(async ({ number }) =>
    number > 1
      ? refile(await findStored(store, id))
      : one<StoredProduct, Product>(update(key, { set, when: all(exists, any(missing('sortedIn'), sameFlags)) }), {
          answer: readProduct,
          ifMatch,
          otherwise: refile,
        }),
  );
};

const findStored = (store: string, id: string): Promise<StoredProduct | undefined> =>
  get<StoredProduct>(productKey(store, id));

/** Inactive products are found too. */
export const findProduct = async (store: string, id: string): Promise<Product | undefined> => {
  const item = await findStored(store, id);
  return item && readProduct(item);
};

/** Throws 404. Inactive products are found too. */
export const getProduct = async (store: string, id: string): Promise<Product> => {
  const product = await findProduct(store, id);
  if (!product) throw notFound();
  return product;
};

/**
 * The write that takes a copy from the stock of a limited product. Refused where none is left, and where it is not
 * limited any more.
 */
export const takeCopy = (store: string, id: string): Write =>
  update(productKey(store, id), {
    add: { availableAmount: -1 },
    when: all(is('limited', true), above('availableAmount', 0)),
  });

/**
 * The write that puts a copy back into the stock of a product as it was read; none where it is not limited, or has as
 * many as can be. Refused where it is not limited any more, and where others have filled the stock.
 */
export const returnCopy = (store: string, { id, limited, availableAmount }: Product): Write[] =>
  limited && availableAmount < maxInteger
    ? [
        update(productKey(store, id), {
          add: { availableAmount: 1 },
          when: all(is('limited', true), below('availableAmount', maxInteger)),
        }),
      ]
    : [];

/** True if the store has this product, active or not. */
export const hasProduct = async (store: string, id: string): Promise<boolean> =>
  (await findStored(store, id)) !== undefined;

/** A store's products as stored, inactive ones too, in the order of their ids. */
export const listStoredProducts = (store: string): Source<StoredProduct> =>
  rowsOf({ partition: partition(store, 'PRODUCT') });

const either = [false, true];

/**
 * The active products that pass the filter, in the order of their ids. Flags are part of an index's key, so the
 * number of products does not change the cost. A search reads the index of search texts. A category's products are read
 * through its memberships, whose keys have the flags too; a search in a category reads its products.
 */
export const listProducts = (store: string, filter: ProductFilter): Source<Product> => {
  const forms = searchForms(filter.search ?? '').filter((form) => form !== '');
  const matches = (product: Product): boolean =>
    product.active &&
    product.listed === (filter.listed ?? product.listed) &&
    product.bloggable === (filter.bloggable ?? product.bloggable) &&
    (forms.length === 0 || forms.some((form) => textOf(product).includes(form)));

  const flags = either
    .filter((listed) => listed === (filter.listed ?? listed))
    .flatMap((listed) =>
      either
        .filter((bloggable) => bloggable === (filter.bloggable ?? bloggable))
        .map((bloggable) => ({ listed, bloggable })),
    );
  const inStore = (): Source<{ sk: string }>[] =>
    flags.map(({ listed, bloggable }) =>
      rowsOf<{ sk: string }>({
        partition: partition(store, 'PRODUCT', flagsOf(listed, bloggable)),
        index: forms.length > 0 ? 'byText' : 'byFlags',
        ...(forms.length > 0 && { contains: { attribute: 'text', texts: forms } }),
      }),
    );

  const ids =
    filter.category === undefined ? merged(inStore(), ({ sk }) => sk) : listMembersWith(store, filter.category, flags);
  return loaded(
    ids,
    ({ sk }) => sk,
    async (rows) => {
      const items = await getMany<StoredProduct>(rows.map(({ sk }) => productKey(store, sk)));
      return items.map(readProduct).filter(matches);
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
 * Looks up the references in the body of a product: the users of its profit shares, and its demo. `id` is the product's
 * own id, if it exists already. Throws 400 with every reference that leads nowhere, and for a user with two shares.
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
