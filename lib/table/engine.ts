import type { Item, Write } from './language.ts';
import type { IndexName, Key } from './schema.ts';

/** One query: the rows of a partition in the order of its sort key. */
export interface Query {
  partition: string;
  /** The table itself, read consistently, if absent. */
  index?: IndexName | undefined;
  /** The answer may be a moment old, at half the price: always so in an index. */
  isEventual?: boolean | undefined;
  descending: boolean;
  /** Where to begin. */
  from?: { position: string; inclusive: boolean } | undefined;
  /** The first and the last position that belong to the list, if it is a part of the partition. */
  first?: string | undefined;
  last?: string | undefined;
  /** Keeps only the rows whose attribute holds one of the texts. */
  contains?: { attribute: string; texts: readonly string[] } | undefined;
  /** Rows to read at the most, before `contains` keeps some. */
  limit?: number | undefined;
  /** Goes on where an earlier answer's `next` says. */
  after?: Item | undefined;
}

/**
 * The calls that the table language makes to a database. dynamodb.ts makes them to DynamoDB; a simulation may put
 * another engine there. `language.ts` says what writes and conditions mean. Calls throw `RefusedError`,
 * `CancelledError`, `BusyError`, `ConflictError` and `UnansweredError`. An error that has `$fault: 'client'` is final;
 * after any other error the call may or may not have been carried out.
 */
export interface Engine {
  /** One item, as it is now. */
  get(key: Key): Promise<Item | undefined>;
  /**
   * The items of at most 100 keys, in any order, and the keys that it had no capacity for; of each item at least the
   * attributes that are asked for.
   */
  getSome(
    keys: readonly Key[],
    how: { consistent: boolean; attributes?: readonly string[] | undefined },
  ): Promise<{ items: Item[]; rest: Key[] }>;
  /** The items of at most 100 keys as they are at one moment (serializable), in the keys' order. */
  getTogether(keys: readonly Key[]): Promise<(Item | undefined)[]>;
  query(query: Query): Promise<{ items: Item[]; next?: Item | undefined }>;
  /**
   * Carries out one write. Answers the item that is under the key afterwards. Throws `RefusedError` if its condition
   * does not hold.
   */
  write(write: Write): Promise<Item | undefined>;
  /** Carries out up to 100 writes, or none. The same token makes it one transaction however often it arrives. */
  transact(writes: readonly Write[], token: string): Promise<void>;
  /** Removes at most 25 items. Answers the keys that it had no capacity for. */
  removeSome(keys: readonly Key[]): Promise<Key[]>;
}

/** The condition of a write does not hold. `item` is what has the key instead, if anything. */
export class RefusedError extends Error {
  readonly item: Item | undefined;
  constructor(item: Item | undefined) {
    super('The condition of a write does not hold.');
    this.item = item;
  }
}

/** One write of a transaction: `refused` by its condition or not, and the item that has its key instead. */
export interface Refusal {
  refused: boolean;
  item?: Item | undefined;
}

/** The conditions of some writes of a transaction do not hold. */
export class CancelledError extends Error {
  readonly refusals: Refusal[];
  constructor(refusals: Refusal[]) {
    super('The conditions of a transaction do not hold.');
    this.refusals = refusals;
  }
}

/** The table did nothing, for want of capacity. */
export class BusyError extends Error {
  constructor(cause: Error) {
    super(`${cause.name}: ${cause.message}`, { cause });
  }
}

/** The table gave no answer: it may have carried the call out, or may do so yet. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError';
  constructor(cause: Error) {
    super(`${cause.name}: ${cause.message}`, { cause });
  }
}

/** The table did nothing, because another transaction holds an item of the call. It does so for milliseconds. */
export class ConflictError extends BusyError {}
