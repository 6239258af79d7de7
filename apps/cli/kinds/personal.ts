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
  /** The number of products that the pseudonym owns. */
  owned: number;
}

/** The options with which a person asked for an erasure. */
export interface ErasureTerms {
  uuid: string;
  /** The avatar may still have credit. The erasure first sets it to 0. */
  forfeit: boolean;
  /** The store may still owe them L$. The pseudonym keeps the sum, and nobody pays it. */
  mayForfeit: boolean;
}

/** Items of one kind that a store has about an avatar, and what an erasure of the avatar does with them. */
export interface PersonalItems<T extends Key = Key> {
  /** The words for one item, and for several, in the plan of an erasure. */
  words: readonly [one: string, more: string];
  /** The words for what happens to them, in the plan. */
  effect: string;
  /**
   * An erasure moves items without a phase first. Then it moves the customer together with their spend. The names that
   * lead to the avatar go last.
   */
  phase?: 'customer' | 'names';
  /** All stores share these items. Then `find` needs no store. */
  isShared?: boolean;
  find: (store: string, uuid: string) => Promise<T[]>;
  /** If an item forbids the erasure, returns sentences that say why and what to do. */
  blocker?: (item: T, asked: ErasureTerms) => string | undefined | Promise<string | undefined>;
  /** Returns the item as the books keep it, under its own key or another; undefined if they do not need it. */
  kept: (item: T, erasure: Erasure) => Key | undefined;
  /**
   * Single updates with stamps change these items. The erasure gets a stamp too, so that no late copy of an update
   * undoes it.
   */
  isUpdated?: true;
  /**
   * Joins the item of `kept` with an item that already has its key. An earlier erasure left that one, and the avatar
   * went on.
   */
  merged?: (item: T, there: T) => Key;
  /** Returns an item to leave under the key from which an item moves away. */
  tombstone?: (item: T) => Key | undefined;
}

/** Each kind has its own type of item, which only its own functions see. */
export const personal = <T extends Key>(items: PersonalItems<T>): PersonalItems => items as unknown as PersonalItems;

/** Reads a whole list and returns the items about an avatar. No index leads to them. */
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

/** Replaces the avatar's UUID by the pseudonym everywhere in a value. */
export const replaced = (value: unknown, uuid: string, pseudonym: string): unknown => {
  if (Array.isArray(value)) return value.map((one) => replaced(one, uuid, pseudonym));
  if (typeof value !== 'object' || value === null) return value === uuid ? pseudonym : value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaced(one, uuid, pseudonym)]));
};

/** The stream never delivers a change again after this time. */
export const tombstoneMillis = 2 * 86_400_000;

/** The end of a tombstone that is written now, as the attribute by which DynamoDB deletes it. */
export const tombstoneEnd = () => ({ [ttlAttribute]: Math.ceil((now() + tombstoneMillis) / 1000) });
