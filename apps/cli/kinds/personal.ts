import { now } from '../../../lib/clock.ts';
import { everyRow, type Source } from '../../../lib/lists/source.ts';
import { type Key, ttlAttribute } from '../../../lib/table/schema.ts';
import { get } from '../../../lib/table/table.ts';

/** An erasure of an avatar from a store. */
export interface Erasure {
  store: string;
  uuid: string;
  /** The UUID by which the books know the avatar from then on. */
  pseudonym: string;
  /** Products that stand under the pseudonym. */
  owned: number;
}

/** An erasure as it is asked for. */
export interface ErasureTerms {
  uuid: string;
  /** Credit may be left: the erasure sets it to 0 first. */
  forfeit: boolean;
  /** L$ may be owed: the pseudonym keeps the sum, and nobody pays it. */
  mayForfeit: boolean;
}

/** Items of one sort that a store has about an avatar, and what an erasure of the avatar makes of them. */
export interface PersonalItems<T extends Key = Key> {
  /** As the plan of an erasure calls one item, and several. */
  words: readonly [one: string, more: string];
  /** Says what becomes of them, in the words of that plan. */
  effect: string;
  /**
   * Most items come first. The customer and their spend follow together, when all else has moved; the names that lead
   * to the avatar go at the very end.
   */
  phase?: 'customer' | 'names';
  /** All stores share them. Then `find` needs no store. */
  isShared?: boolean;
  find: (store: string, uuid: string) => Promise<T[]>;
  /** The sentence about an item that forbids the erasure, and says what to do. */
  blocker?: (item: T, asked: ErasureTerms) => string | undefined | Promise<string | undefined>;
  /** The item as the books keep it: under its own key, or under another; undefined if they do not need it. */
  kept: (item: T, erasure: Erasure) => Key | undefined;
  /** Single updates change them, of which a late copy must not undo the erasure: it takes its place among these. */
  isUpdated?: true;
  /** The item of `kept` where its key has one: the avatar was erased in part, and went on. */
  merged?: (item: T, there: T) => Key;
  /** An item that takes the place of one that moves away. */
  tombstone?: (item: T) => Key | undefined;
}

/** Each sort has its own type of item, which only its own functions see. */
export const personal = <T extends Key>(items: PersonalItems<T>): PersonalItems => items as unknown as PersonalItems;

/** Those of a store's items of one sort that are about the avatar. No index leads to all of them. */
export const matching = async <T extends Key>(source: Source<T>, isTheirs: (item: T) => boolean): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of everyRow(source, ({ sk }) => sk)) if (isTheirs(item)) found.push(item);
  return found;
};

export const all = <T>(source: Source<T>): Promise<T[]> => source({ descending: false });

/** The item of a key, if it is there. */
export const itemAt = async <T extends Key>(key: Key): Promise<T[]> => {
  const item = await get<T>(key);
  return item ? [item] : [];
};

/** A value with the pseudonym in the place of an avatar's UUID, wherever it stands. */
export const replaced = (value: unknown, uuid: string, pseudonym: string): unknown => {
  if (Array.isArray(value)) return value.map((one) => replaced(one, uuid, pseudonym));
  if (typeof value !== 'object' || value === null) return value === uuid ? pseudonym : value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaced(one, uuid, pseudonym)]));
};

/** Longer than the stream brings a change again. */
export const tombstoneMillis = 2 * 86_400_000;

/** The end of a tombstone that is written now, as the attribute by which DynamoDB deletes it. */
export const tombstoneEnd = () => ({ [ttlAttribute]: Math.ceil((now() + tombstoneMillis) / 1000) });
