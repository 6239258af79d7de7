import type { Importer } from '../plans/rows.ts';
import type { Column } from './columns.ts';
import { categories } from './kinds/categories.ts';
import { coupons } from './kinds/coupons.ts';
import { credit } from './kinds/credit.ts';
import { customers } from './kinds/customers.ts';
import { giftcards } from './kinds/giftcards.ts';
import { products } from './kinds/products.ts';
import { purchases } from './kinds/purchases.ts';
import { residents } from './kinds/residents.ts';

/** The values of a row's columns, by name. */
export type Values = Record<string, unknown>;

/** The UUID of the resident whom a checked value names. */
export type UuidOf = (identifier: unknown) => string;

/** A kind of row that files hold. */
export interface Kind {
  name: string;
  /** What a file of it holds, in one line. */
  summary: string;
  columns: readonly Column[];
  /** Rows are added and never changed: a column that the file does not have has its default, and does not stay as it is. */
  onlyAdded?: true;
  /** Rules that span the columns of a row. */
  rules?: (values: Values, report: (field: string, message: string) => void) => void;
  /** How the column `id` comes to a UUID, or stays a text of its own. */
  id?: {
    /** The text that a row without one gets its id from. */
    from?: (values: Values, uuidOf: UuidOf) => string;
    /** Whether there may be rows without ids that are alike: the second of them is not the first. */
    repeats?: (values: Values) => boolean;
    /** Ids are texts, and stay as they are. */
    asText?: true;
  };
  /** What no other row of the file may have: values by column. The first column is what the row is known by. */
  unique: (values: Values, uuidOf: UuidOf) => Record<string, string[]>;
  /** A new one for every pass over a file. */
  importer: (checksOnly: boolean) => Importer<unknown>;
  /** What the store holds, in a fixed order. */
  rows: (store: string) => AsyncGenerator<Values>;
}

/** In the order in which they refer to each other: what is imported in this order finds what it needs. */
export const kinds: readonly Kind[] = [
  residents,
  categories,
  products,
  customers,
  credit,
  coupons,
  giftcards,
  purchases,
];
