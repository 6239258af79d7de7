import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { newId, now } from '../clock.ts';
import type { Source } from '../lists/page.ts';
import { folded } from '../normalise.ts';
import { activePrice, type Discount } from '../price.ts';
import { notFound } from '../problem.ts';
import { putNew } from '../table/idempotency.ts';
import { getMany, type Key, loaded, merged, rowsOf } from '../table/query.ts';
import { refusedToNotFound } from '../table/retry.ts';
import { db, findItem, partition, tableName } from '../table/table.ts';
import { findCategory, listMembers } from './categories.ts';

/** What a request sets of a product; PUT replaces all of it. */
export interface ProductFields {
  name: string;
  price: number;
  image: string;
  listed: boolean;
  bloggable: boolean;
  permissions: { copy: boolean; modify: boolean; transfer: boolean };
  discount: Discount;
  availableAmount: number;
  limited: boolean;
  item: string;
  blockCredits: boolean;
  description: string;
  profitShares: { userUuid: string; percent: number }[];
  demoId: string | null;
  active: boolean;
}

export interface Product extends ProductFields {
  id: string;
  /** The product's listing on the marketplace; 0 unless imported. */
  mpListing: number;
  /** Reckoned when it is read. */
  activePrice: number;
}

export interface StoredProduct extends Omit<Product, 'activePrice'> {
  pk: string;
  sk: string;
}

/** With what the indexes hold. */
interface IndexedProduct extends StoredProduct {
  flags?: string;
  texts?: string;
  text?: string;
}

export const productKey = (store: string, id: string): Key => ({ pk: partition(store, 'PRODUCT'), sk: id });

// A control character, which no search may hold, keeps a match from reaching over from the name into the description.
const searchText = ({ name, description }: ProductFields): string => `${folded(name)}\u001f${folded(description)}`;

const flagsOf = (listed: boolean, bloggable: boolean): string => `${Number(listed)}${Number(bloggable)}`;

/** The index attributes of a product: it is in the indexes while it is active. */
const indexed = (store: string, fields: ProductFields) => {
  const flags = partition(store, 'PRODUCT', flagsOf(fields.listed, fields.bloggable));
  return fields.active ? { flags, texts: flags, text: searchText(fields) } : {};
};

const read = (stored: IndexedProduct): Product => {
  const { pk, sk, flags, texts, text, ...product } = stored;
  return { ...product, activePrice: activePrice(product.price, product.discount, now()) };
};

/** The item of a new product. `imported` are fields that no request sets. */
export const productItem = (
  store: string,
  fields: ProductFields,
  imported: { id?: string; mpListing?: number } = {},
): StoredProduct => {
  const product = { ...fields, id: newId(), mpListing: 0, ...imported };
  return { ...productKey(store, product.id), ...indexed(store, fields), ...product };
};

export const createProduct = async (...args: Parameters<typeof productItem>): Promise<Product> => {
  const item = productItem(...args);
  const created = read(item);
  await putNew({ ...item }, created);
  return created;
};

/** Replaces a product's fields; `mpListing` stays. Throws 404. */
export const updateProduct = async (store: string, id: string, fields: ProductFields): Promise<Product> => {
  const set = Object.entries({ ...fields, ...indexed(store, fields) });
  const removed = fields.active ? '' : ' REMOVE flags, texts, #text';
  const { Attributes } = await refusedToNotFound(() =>
    db.send(
      new UpdateCommand({
        TableName: tableName(),
        Key: productKey(store, id),
        UpdateExpression: `SET ${set.map(([name]) => `#${name} = :${name}`).join(', ')}${removed}`,
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: Object.fromEntries([...set.map(([name]) => [`#${name}`, name]), ['#text', 'text']]),
        ExpressionAttributeValues: Object.fromEntries(set.map(([name, value]) => [`:${name}`, value])),
        ReturnValues: 'ALL_NEW',
      }),
    ),
  );
  return read(Attributes as StoredProduct);
};

/** Throws 404. Inactive products are found too. */
export const getProduct = async (store: string, id: string): Promise<Product> => {
  const item = await findItem<StoredProduct>(productKey(store, id));
  if (!item) throw notFound();
  return read(item);
};

/** Whether the store has this product, active or not. */
export const hasProduct = async (store: string, id: string): Promise<boolean> => {
  const { Item } = await db.send(
    // Consistent: what refers to a product may be sent right after the product was made.
    new GetCommand({
      TableName: tableName(),
      Key: productKey(store, id),
      ConsistentRead: true,
      ProjectionExpression: 'sk',
    }),
  );
  return Item !== undefined;
};

/** A store's products as stored, inactive ones too, in the order of their ids. */
export const listStoredProducts = (store: string): Source<StoredProduct> =>
  rowsOf({ partition: partition(store, 'PRODUCT') });

export interface ProductFilter {
  listed?: boolean | undefined;
  bloggable?: boolean | undefined;
  /** A category's id. */
  category?: string | undefined;
  /** A literal substring of name or description. Empty: no filter. */
  search?: string | undefined;
}

const either = [false, true];

/**
 * The active products that pass the filter, in the order of their ids. Flags are part of an index's key, so they cost
 * the same however many products there are; a search reads the index of folded texts; a category's products are read
 * through its memberships.
 */
export const listProducts = (store: string, filter: ProductFilter): Source<Product> => {
  const term = folded(filter.search ?? '');
  const matches = (product: Product): boolean =>
    product.active &&
    product.listed === (filter.listed ?? product.listed) &&
    product.bloggable === (filter.bloggable ?? product.bloggable) &&
    searchText(product).includes(term);

  const partitions = either
    .filter((listed) => listed === (filter.listed ?? listed))
    .flatMap((listed) =>
      either
        .filter((bloggable) => bloggable === (filter.bloggable ?? bloggable))
        .map((bloggable) => partition(store, 'PRODUCT', flagsOf(listed, bloggable))),
    )
    .map((name) =>
      rowsOf<{ sk: string }>({
        partition: name,
        index: term ? 'byText' : 'byFlags',
        ...(term && { contains: { attribute: 'text', text: term } }),
      }),
    );

  const ids = filter.category === undefined ? merged(partitions, ({ sk }) => sk) : membersOf(store, filter.category);
  return loaded(
    ids,
    ({ sk }) => sk,
    async (rows) => {
      const items = await getMany<StoredProduct>(rows.map(({ sk }) => productKey(store, sk)));
      return items.map(read).filter(matches);
    },
  );
};

/** The memberships of a category; none if it was deleted, though some of them may still be there. */
const membersOf =
  (store: string, id: string): Source<{ sk: string }> =>
  async (range) => {
    const [category, members] = await Promise.all([findCategory(store, id), listMembers(store, id)(range)]);
    return category ? members : [];
  };
