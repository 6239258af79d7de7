import pMap from 'p-map';
import type { Values } from '../kinds/columns.ts';
import { Failure } from '../terminal/errors.ts';
import type { OtherService, Page } from './other-service.ts';
import type { Thing, ThingKind } from './record.ts';

/** Reads the records of another service with GETs of the contract. */

type Json = Record<string, unknown>;

/** A page of records, with the avatars that they name. */
export interface ThingsRead {
  things: Thing[];
  /** Usernames by UUID, where the service tells them. */
  avatars: Map<string, string>;
}

const requestsAtOnce = { concurrency: 4 };

const textOf = (row: Json, name: string): string => {
  const value = row[name];
  if (typeof value !== 'string' || value === '') throw new Failure(`A row without ${name}: ${JSON.stringify(row)}`);
  return value;
};

const uuidOf = (row: Json, name: string): string => textOf(row, name).toLowerCase();

const thing = (kind: ThingKind, row: Json, values: Values): Thing => ({
  kind,
  id: uuidOf(row, kind === 'customers' ? 'uuid' : 'id'),
  values,
});

/** The members with these names, if the object has them. */
const picked = (row: Json, names: readonly string[]): Values =>
  Object.fromEntries(names.filter((name) => row[name] !== undefined).map((name) => [name, row[name]]));

/** The members of a nested object by the names of their columns, such as `discount.value`. */
const members = (row: Json, name: string): Values =>
  Object.fromEntries(Object.entries((row[name] ?? {}) as Json).map(([part, value]) => [`${name}.${part}`, value]));

export const listCategories = async (other: OtherService): Promise<Thing[]> => {
  const found: Thing[] = [];
  for await (const { rows } of other.pages('/v1/categories'))
    for (const row of rows) found.push(thing('categories', row, picked(row, ['id', 'name'])));
  return found;
};

/** The categories of each active product, by its id. No GET tells those of other products. */
export const readMembers = async (
  other: OtherService,
  categories: readonly Thing[],
): Promise<Map<string, string[]>> => {
  const categoriesOf = new Map<string, string[]>();
  for (const { id } of categories)
    for await (const { rows } of other.pages(`/v1/products?category=${id}`))
      for (const row of rows) {
        const product = uuidOf(row, 'id');
        categoriesOf.set(product, [...(categoriesOf.get(product) ?? []), id]);
      }
  return categoriesOf;
};

const productFields = [
  ...['id', 'name', 'price', 'image', 'bloggable', 'availableAmount', 'limited', 'item', 'blockCredits'],
  ...['description', 'demoId', 'active', 'mpListing', 'profitShares'],
];

/** A product. `known` holds values that only lists tell. */
const productOf = (row: Json, known: Values): Thing =>
  thing('products', row, {
    ...picked(row, productFields),
    ...members(row, 'permissions'),
    ...members(row, 'discount'),
    ...known,
  });

/** The UUIDs of the users who share a product's profit. */
export const sharersOf = ({ values }: Thing): string[] =>
  Array.isArray(values.profitShares) ? values.profitShares.map((share: Json) => uuidOf(share, 'userUuid')) : [];

/**
 * Reads the products: all active ones, and other products that are a demo or whose id is in `known`. No GET lists the
 * rest.
 */
export async function* readProducts(
  other: OtherService,
  categoriesOf: ReadonlyMap<string, string[]>,
  known: AsyncIterable<string>,
): AsyncGenerator<Thing[]> {
  const seen = new Set<string>();
  const named = new Set<string>();
  const note = (things: Thing[]): Thing[] => {
    const fresh = things.filter(({ id }) => !seen.has(id));
    for (const { id, values } of fresh) {
      seen.add(id);
      if (typeof values.demoId === 'string') named.add(values.demoId.toLowerCase());
    }
    return fresh;
  };
  for (const listed of [true, false])
    for await (const { rows } of other.pages(`/v1/products?listed=${listed}`, { limit: 500 }))
      yield note(rows.map((row) => productOf(row, { listed, categories: categoriesOf.get(uuidOf(row, 'id')) ?? [] })));
  for await (const id of known) named.add(id);
  // `note` adds demos of demos to `named`, so the loop reaches them too.
  for (const id of named) {
    if (seen.has(id)) continue;
    const row = await other.get(`/v1/products/${id}`);
    if (row) yield note([productOf(row, {})]);
  }
}

export async function* readCoupons(other: OtherService): AsyncGenerator<ThingsRead> {
  const fields = ['id', 'code', 'active', 'bloggersSync', 'discount', 'ownerProfit', 'usesPerCustomer', 'expiration'];
  for await (const { rows } of other.pages('/v1/coupons', { limit: 500 }))
    yield {
      things: rows.map((row) =>
        thing('coupons', row, { ...picked(row, fields), owner: uuidOf(row, 'couponOwnerUuid') }),
      ),
      avatars: new Map(
        rows.map((row) => [uuidOf(row, 'couponOwnerUuid'), String(row.couponOwnerUsername ?? '')] as const),
      ),
    };
}

/** The number of customers, and the UUIDs of all who have spent something. */
export interface CustomersCounted {
  count: number;
  buyers: ReadonlySet<string>;
}

/**
 * Counts the customers, so that the command can tell the remaining time. Finds the customers whose spend must be read.
 */
export const countCustomers = async (other: OtherService): Promise<CustomersCounted> => {
  let count = 0;
  const buyers = new Set<string>();
  for await (const { rows } of other.pages('/v1/customers')) count += rows.length;
  for await (const { rows } of other.pages('/v1/customers?spentMoreThan=0'))
    for (const row of rows) buyers.add(uuidOf(row, 'uuid'));
  return { count, buyers };
};

const cardFields = ['id', 'credit', 'active', 'redeemed', 'transfer', 'texture', 'purchased'];

const customerFields = ['discount', 'newsSubscriber', 'isBanned', 'credit', 'restrictedCredit'];

/** Reads a customer with their spend, and their gift cards. */
const readCustomer = async (other: OtherService, row: Json, buyers: ReadonlySet<string>): Promise<Thing[]> => {
  const uuid = uuidOf(row, 'uuid');
  const spend = buyers.has(uuid) ? await other.get(`/v1/customers/${uuid}/spend`) : undefined;
  const cards: Thing[] = [];
  for await (const { rows } of other.pages(`/v1/customers/${uuid}/giftcards`))
    for (const card of rows)
      cards.push(thing('giftcards', card, { ...picked(card, cardFields), owner: uuidOf(card, 'ownerUuid') }));
  const sums = { sum: 0, lastYearSum: 0, ...picked(spend ?? {}, ['sum', 'lastYearSum']) };
  return [thing('customers', row, { resident: uuid, ...picked(row, customerFields), ...sums }), ...cards];
};

/** A page of customers with their cards, and the cursor of the next page. */
export interface CustomersRead extends ThingsRead, Pick<Page, 'next'> {
  customers: number;
}

export async function* readCustomers(
  other: OtherService,
  buyers: ReadonlySet<string>,
  cursor?: string,
): AsyncGenerator<CustomersRead> {
  for await (const { rows, next } of other.pages('/v1/customers', { limit: 200, cursor }))
    yield {
      customers: rows.length,
      next,
      things: (await pMap(rows, (row) => readCustomer(other, row, buyers), requestsAtOnce)).flat(),
      avatars: new Map(rows.map((row) => [uuidOf(row, 'uuid'), String(row.username ?? '')] as const)),
    };
}
