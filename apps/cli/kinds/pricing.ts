import type { Discount } from '../../../lib/price.ts';
import { type Key, partition } from '../../../lib/table/schema.ts';
import type { Run } from './run.ts';

/** Runs that set prices and discounts of many products, and what each of them set. Both are kept for good. */

/** A run of `store products set`. */
export interface PricingRun extends Run {
  /** The id under which its lines stand. They are there before it. */
  list: string;
}

/** The price and discount that a run sets, each only where it differs from the one that the product had. */
export interface Terms {
  price?: number;
  discount?: Discount;
}

/** A product of a run: what it had in the preview, and is to have. */
export interface PricedLine extends Key {
  id: string;
  name: string;
  /** The stamp of the product in the preview: it has another one once somebody has changed it. */
  version?: string;
  before: Terms;
  after: Terms;
  /** It is there exactly if the run has set the product. */
  setAt?: string;
  /** It is there exactly if an undo has put back what the product had. */
  putBackAt?: string;
}

export const pricingKey = (store: string, reference: string): Key => ({
  pk: partition(store, 'PRICING'),
  sk: reference,
});

export const pricedKey = (store: string, list: string, id: string): Key => ({
  pk: partition(store, 'PRICED'),
  sk: `${list}#${id}`,
});
