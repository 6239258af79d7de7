/** The table's keys. The stack, the local engine and the tests make the table from these constants. */
export const tableKey = { partition: 'pk', sort: 'sk' } as const;

/** The attribute by which DynamoDB deletes old items, in seconds since 1970. No rule of the contract relies on it. */
export const ttlAttribute = 'ttl';

/** The images of an item in a record of the table's stream: before and after the write. */
export const streamView = 'NEW_AND_OLD_IMAGES';

interface Index {
  readonly partition: string;
  readonly sort: string;
  /** The attributes that the index holds beside the keys. */
  readonly include: readonly string[];
}

/**
 * The indexes. All are sparse: an item is in one only while it has the index's partition attribute, and a write that
 * touches none of these attributes writes to no index.
 */
export const indexes = {
  /**
   * Lists that are narrowed by flags: one partition per combination of flags, in the order of the row's id; deliveries
   * by recipient.
   */
  byFlags: { partition: 'flags', sort: 'sk', include: [] },
  /** Lists not in the order of ids: an owner's coupons and cards, customers by spend, deliveries and sales by state. */
  byRank: { partition: 'ranked', sort: 'rank', include: [] },
  /** The normalised text of active products, so that a search does not read the products. */
  byText: { partition: 'texts', sort: 'sk', include: ['text'] },
  /** Customers, by the time when their next credit lot comes due; a product's sales, by the time of the sale. */
  byDue: { partition: 'dues', sort: 'due', include: [] },
  /** A buyer's sales, by the time of the sale. */
  byBuyer: { partition: 'bought', sort: 'rank', include: [] },
} as const satisfies Record<string, Index>;

export type IndexName = keyof typeof indexes;

export interface Key {
  pk: string;
  sk: string;
}
