import { createHash } from 'node:crypto';
import type { Values } from '../kinds/columns.ts';
import type { OtherService } from './other-service.ts';
import {
  type CustomersCounted,
  listCategories,
  readCoupons,
  readCustomers,
  readMembers,
  readProducts,
} from './read-other.ts';
import { ownProductIds, readOwn } from './read-own.ts';
import {
  comparableValues,
  differencesOf,
  type FieldDifference,
  type Thing,
  type ThingKind,
  thingKinds,
} from './record.ts';

/**
 * Compares another service with a store, record by record. It reads the other service again, so it finds values that
 * were copied wrong. Memory holds an id and a digest for each record.
 */

/** A record that differs between the two sides, or that is missing on one of them. */
export interface Difference {
  kind: ThingKind;
  id: string;
  fields: FieldDifference[];
  /** The side that has the record, if only one has it. */
  only?: 'there' | 'here';
}

/** A sum or a number of records, at the other service and in this store. */
export interface SumsRow {
  what: string;
  there: number;
  here: number;
}

type Sums = Map<string, number>;

/** The sums to which a record of each kind adds. They are shown in this order. */
const sumNames: Record<ThingKind, readonly (readonly [what: string, field: string])[]> = {
  categories: [],
  products: [['copies left', 'availableAmount']],
  coupons: [],
  customers: [
    ['L$ of credit', 'credit'],
    ['L$ of restricted credit', 'restrictedCredit'],
    ['L$ spent', 'sum'],
    ['L$ spent in the last year', 'lastYearSum'],
  ],
  giftcards: [['L$ on gift cards', 'credit']],
};

const things: Record<ThingKind, string> = {
  categories: 'categories',
  products: 'products',
  coupons: 'coupons',
  customers: 'customers',
  giftcards: 'gift cards',
};

const add = (sums: Sums, what: string, amount: number): void => void sums.set(what, (sums.get(what) ?? 0) + amount);

const count = (sums: Sums, { kind, values }: Thing): void => {
  add(sums, things[kind], 1);
  const members = values.categories;
  // No GET lists the categories of an inactive product.
  if (kind === 'products' && values.active === true && Array.isArray(members))
    add(sums, 'products in categories', members.length);
  for (const [what, field] of sumNames[kind]) add(sums, what, Number(values[field] ?? 0));
};

const shownSums = thingKinds.flatMap((kind) => [
  things[kind],
  ...(kind === 'products' ? ['products in categories'] : []),
  ...sumNames[kind].map(([what]) => what),
]);

const digestOf = (values: Values): string => {
  const text = JSON.stringify(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
  return createHash('sha256').update(text).digest('base64').slice(0, 16);
};

/** The compared values of this store's record: without values that no GET tells. */
const valuesToCompare = (thing: Thing): Values => {
  const { banReason: _, createdAt: __, ...values } = comparableValues(thing);
  return values;
};

/** Reads the other service's records. Reports the number of customers of each page. */
async function* readThere(
  other: OtherService,
  store: string,
  { buyers }: CustomersCounted,
  onCustomers: (count: number) => void,
): AsyncGenerator<Thing> {
  const categories = await listCategories(other);
  yield* categories;
  const categoriesOf = await readMembers(other, categories);
  for await (const products of readProducts(other, categoriesOf, ownProductIds(store))) yield* products;
  for await (const { things } of readCoupons(other)) yield* things;
  for await (const { things, customers } of readCustomers(other, buyers)) {
    yield* things;
    onCustomers(customers);
  }
}

const nameOf = ({ kind, id }: Pick<Thing, 'kind' | 'id'>): string => `${kind} ${id}`;

const splitName = (name: string): Pick<Difference, 'kind' | 'id'> => {
  const [kind = '', id = ''] = name.split(' ');
  return { kind: kind as ThingKind, id };
};

/** Finds the fields that differ in records whose digests differ. Reads this store's values again. */
const detailed = async (store: string, suspects: ReadonlyMap<string, Values>): Promise<Difference[]> => {
  const differences: Difference[] = [];
  for (const kind of thingKinds) {
    if (![...suspects.keys()].some((name) => splitName(name).kind === kind)) continue;
    for await (const thing of readOwn(store, kind)) {
      const there = suspects.get(nameOf(thing));
      const fields = there ? differencesOf(there, valuesToCompare(thing)) : [];
      if (fields.length > 0) differences.push({ kind, id: thing.id, fields });
    }
  }
  return differences;
};

export interface Comparison {
  sums: SumsRow[];
  differences: Difference[];
}

export const compareAll = async (
  other: OtherService,
  store: string,
  counted: CustomersCounted,
  onCustomers: (count: number) => void = () => {},
): Promise<Comparison> => {
  const [there, here]: [Sums, Sums] = [new Map(), new Map()];
  const digests = new Map<string, string>();
  for (const kind of thingKinds)
    for await (const thing of readOwn(store, kind)) {
      count(here, thing);
      digests.set(nameOf(thing), digestOf(valuesToCompare(thing)));
    }
  const suspects = new Map<string, Values>();
  const onlyThere: Difference[] = [];
  const seen = new Set<string>();
  for await (const thing of readThere(other, store, counted, onCustomers)) {
    const name = nameOf(thing);
    // A list that changes while it is read may show a record twice.
    if (seen.has(name)) continue;
    seen.add(name);
    count(there, thing);
    const values = comparableValues(thing);
    const digest = digests.get(name);
    if (digest === undefined) onlyThere.push({ kind: thing.kind, id: thing.id, fields: [], only: 'there' });
    else if (digest !== digestOf(values)) suspects.set(name, values);
  }
  const onlyHere = [...digests.keys()]
    .filter((name) => !seen.has(name))
    .map((name): Difference => ({ ...splitName(name), fields: [], only: 'here' }));
  return {
    sums: shownSums.map((what) => ({ what, there: there.get(what) ?? 0, here: here.get(what) ?? 0 })),
    differences: [...onlyThere, ...(await detailed(store, suspects)), ...onlyHere],
  };
};

export const isDifferent = ({ there, here }: SumsRow): boolean => there !== here;
