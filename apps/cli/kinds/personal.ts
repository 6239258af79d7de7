import { now } from '../../../lib/clock.ts';
import { everyRow, type Source } from '../../../lib/lists/source.ts';
import { type Key, ttlAttribute } from '../../../lib/table/schema.ts';
import { get } from '../../../lib/table/table.ts';

/** An erasure of an avatar from a store. */
export interface Erasure {
  store: string;
  uuid: string;
  /** The UUID under which the books keep the avatar after the erasure. */
  pseudonym: string;
  /** How many products the pseudonym owns. */
  owned: number;
}

/** The terms under which an erasure was asked for. */
export interface ErasureTerms {
  uuid: string;
  /** There may be credit left. The erasure first sets it to 0. */
  forfeit: boolean;
  /** The store may owe L$. The pseudonym keeps the sum, and nobody pays it. */
  mayForfeit: boolean;
}

/** Items of one kind that a store has about an avatar, and what an erasure of the avatar does with them. */
export interface PersonalItems<T extends Key = Key> {
  /** The words for one item, and for several, in the plan of an erasure. */
  words: readonly [one: string, more: string];
  /** Says in the plan what happens to them. */
  effect: string;
  /**
   * Most items come first. When all of them have moved, the customer and their spend follow together. The names that
   * lead to the avatar go last.
   */
  phase?: 'customer' | 'names';
  /** All stores share these items. Then `find` needs no store. */
  isShared?: boolean;
  find: (store: string, uuid: string) => Promise<T[]>;
  /** A sentence about an item that forbids the erasure, with what to do about it. */
  blocker?: (item: T, asked: ErasureTerms) => string | undefined | Promise<string | undefined>;
  /** The item as the books keep it: under its own key, or under another; undefined if they do not need it. */
  kept: (item: T, erasure: Erasure) => Key | undefined;
  /**
   * Single updates change these items. A late copy of such an update must not undo the erasure, so it counts as one of
   * them.
   */
  isUpdated?: true;
  /**
   * Joins the item of `kept` with an item that already has its key: an earlier erasure was interrupted, and the avatar
   * went on.
   */
  merged?: (item: T, there: T) => Key;
  /** An item that takes the place of an item that moves away. */
  tombstone?: (item: T) => Key | undefined;
}

/** Each kind has its own type of item, which only its own functions see. */
export const personal = <T extends Key>(items: PersonalItems<T>): PersonalItems => items as unknown as PersonalItems;

/** The items of a list that are about the avatar. No index leads to all of them. */
export const matching = async <T extends Key>(source: Source<T>, isTheirs: (item: T) => boolean): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of everyRow(source, ({ sk }) => sk)) if (isTheirs(item)) found.push(item);
  return found;
};

export const all = <T>(source: Source<T>): Promise<T[]> => source({ descending: false });

/** The item of a key, if it exists. */
export const itemAt = async <T extends Key>(key: Key): Promise<T[]> => {
  const item = await get<T>(key);
  return item ? [item] : [];
};

/** A value in which the pseudonym replaces the avatar's UUID everywhere. */
export const replaced = (value: unknown, uuid: string, pseudonym: string): unknown => {
  if (Array.isArray(value)) return value.map((one) => replaced(one, uuid, pseudonym));
  if (typeof value !== 'object' || value === null) return value === uuid ? pseudonym : value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaced(one, uuid, pseudonym)]));
};

/** The stream brings no change again after this time. */
export const tombstoneMillis = 2 * 86_400_000;

/** The end of a tombstone that is written now, as the attribute by which DynamoDB deletes it. */
export const tombstoneEnd = () => ({ [ttlAttribute]: Math.ceil((now() + tombstoneMillis) / 1000) });
