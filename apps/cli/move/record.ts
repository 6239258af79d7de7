import { isDeepStrictEqual } from 'node:util';
import { uuidPattern } from '../../../lib/identifier.ts';
import { writeCell } from '../../shared/cells.ts';
import { categories } from '../kinds/categories.ts';
import type { Column, Values } from '../kinds/columns.ts';
import { coupons } from '../kinds/coupons.ts';
import { customers } from '../kinds/customers.ts';
import { giftCards } from '../kinds/gift-cards.ts';
import type { Kind } from '../kinds/kind.ts';
import { products } from '../kinds/products.ts';

/** The kinds of records that a move compares, in the order in which they are read and imported. */
export const thingKinds = ['categories', 'products', 'coupons', 'customers', 'giftcards'] as const;
export type ThingKind = (typeof thingKinds)[number];

/** The word for one record of each kind. */
export const wordFor: Record<ThingKind, string> = {
  categories: 'category',
  products: 'product',
  coupons: 'coupon',
  customers: 'customer',
  giftcards: 'gift card',
};

/** One record of a store, by the columns of its file. A customer has their sums too. Unknown columns are left out. */
export interface Thing {
  kind: ThingKind;
  id: string;
  values: Values;
}

/** The sums of a customer that no column of the customers' file has. */
export const customerSums = ['credit', 'restrictedCredit', 'sum', 'lastYearSum'] as const;

const fileKinds: Record<ThingKind, Kind> = { categories, products, coupons, customers, giftcards: giftCards };

const columnsOf = (kind: ThingKind): readonly Column[] => fileKinds[kind].file?.columns ?? [];

const sorted = (cell: string): string => cell.split(';').sort().join(';').toLowerCase();

/** A value without differences of case, order and time zone, in which two services may differ. */
const comparable = (column: Column | undefined, value: unknown): unknown => {
  if (!column) return value;
  if (column.form === 'list' || typeof column.form === 'object') return sorted(writeCell(column, value ?? []));
  const { data = value } = column.check.safeParse(value ?? undefined);
  if (data && typeof data === 'object') return Object.values(data as object).join();
  return typeof data === 'string' && uuidPattern.test(data) ? data.toLowerCase() : (data ?? null);
};

/** A record's values in comparable form. */
export const comparableValues = ({ kind, values }: Thing): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      comparable(
        columnsOf(kind).find((column) => column.name === name),
        value,
      ),
    ]),
  );

/** A field with different values in two services. */
export interface FieldDifference {
  field: string;
  there: unknown;
  here: unknown;
}

/** The fields of `there` whose values differ in `here`. Both hold comparable values. */
export const differencesOf = (there: Values, here: Values): FieldDifference[] =>
  Object.entries(there).flatMap(([field, value]) =>
    isDeepStrictEqual(value, here[field]) ? [] : [{ field, there: value, here: here[field] }],
  );
