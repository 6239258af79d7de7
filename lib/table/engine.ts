import type { Item, Write } from './language.ts';
import type { IndexName, Key } from './schema.ts';

/** One query: the rows of a partition in the order of its sort key. */
export interface Query {
  partition: string;
  /** Without it the query reads the table itself. */
  index?: IndexName | undefined;
  /** The answer may be a moment old, and costs half. Reads of an index are always like this. */
  isEventual?: boolean | undefined;
  descending: boolean;
  /** The position to begin at. */
  from?: { position: string; inclusive: boolean } | undefined;
  /** The first and the last position that belong to the list, if it is a part of the partition. */
  first?: string | undefined;
  last?: string | undefined;
  /** Keeps only the rows whose attribute holds one of the texts. */
  contains?: { attribute: string; texts: readonly string[] } | undefined;
  /** The most rows to read, before `contains` keeps some of them. */
  limit?: number | undefined;
  /** The `next` of an earlier answer: the query goes on from there. */
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
   * The items of at most 100 keys, in any order, and the keys that it had no capacity for. Each item has at least the
   * attributes that are asked for.
   */
  getSome(
    keys: readonly Key[],
    how: { consistent: boolean; attributes?: readonly string[] | undefined },
  ): Promise<{ items: Item[]; rest: Key[] }>;
  /** The items of at most 100 keys as they are at one moment (serializable), in the keys' order. */
  getTogether(keys: readonly Key[]): Promise<(Item | undefined)[]>;
  query(query: Query): Promise<{ items: Item[]; next?: Item | undefined }>;
  /** Carries out one write. Answers the item that it leaves. Throws `RefusedError` if its condition does not hold. */
  write(write: Write): Promise<Item | undefined>;
  /** Carries out up to 100 writes, or none. The same token makes it one transaction however often it arrives. */
  transact(writes: readonly Write[], token: string): Promise<void>;
  /** Removes at most 25 items. Answers the keys that it had no capacity for. */
  removeSome(keys: readonly Key[]): Promise<Key[]>;
}

/** The condition of a write does not hold. `item` is the item under its key, if there is one. */
export class RefusedError extends Error {
  readonly item: Item | undefined;
  constructor(item: Item | undefined) {
    super('The condition of a write does not hold.');
    this.item = item;
  }
}

/** One write of a cancelled transaction: whether its condition refused it, and the item under its key. */
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

/** The table did nothing, because it had no capacity. */
export class BusyError extends Error {
  constructor(cause: Error) {
    super(`${cause.name}: ${cause.message}`, { cause });
  }
}

/** The table gave no answer: it may have carried the call out, or may still do so. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError';
  constructor(cause: Error) {
    super(`${cause.name}: ${cause.message}`, { cause });
  }
}

/** The table did nothing, because another transaction holds an item of the call. That lasts for milliseconds. */
export class ConflictError extends BusyError {}
