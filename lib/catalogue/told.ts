import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { isSameItem } from '../table/stamp.ts';

/**
 * Decides who is right when an import, or a move from another service, tells of a thing in a store. The import is right
 * until this store has acted on the thing; after that the store is (docs/adr/0062-whose-word-counts.md).
 */

/** A thing in a store, and a row that tells of it. `T` is what an import can tell: values, or a digest of them. */
export interface ToldOf<T> {
  /** As the last import told it; undefined for a thing that was made here. */
  told: T | undefined;
  /** As it is here; undefined if it is not here. */
  here: T | undefined;
  /** This store has acted on it, even if its values are still as they were told. */
  isTouched?: boolean;
  /** Tells whether the row agrees with these values. A row with few columns may agree with several. */
  says: (values: T) => boolean;
}

/**
 * Decides what a row does. `create`: nothing is here. `unchanged`: the row says what is here, or nothing new. `take`:
 * the row is right. `keep`: the store is right and the row says otherwise, so the difference must be told.
 */
export const decideTold = <T>({
  told,
  here,
  isTouched = false,
  says,
}: ToldOf<T>): 'create' | 'unchanged' | 'take' | 'keep' => {
  if (here === undefined) return 'create';
  if (says(here) || (told !== undefined && says(told))) return 'unchanged';
  return !isTouched && isDeepStrictEqual(here, told) ? 'take' : 'keep';
};

/** The table keeps the members of an object in no order. */
const inOrder = (_: string, value: unknown): unknown =>
  value && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** A digest of settings, of eight characters. */
export const digestOf = (settings: object): string =>
  createHash('sha256').update(JSON.stringify(settings, inOrder)).digest('base64').slice(0, 8);

/**
 * A thing with settings. `told` is a digest of the settings with which an import or a move created it, or of the
 * settings that a move has told since.
 */
export interface ToldSettings {
  told?: string;
}

/**
 * The item that a row makes from a thing's settings; undefined if the row changes nothing. `made` is the stored item
 * with the row's values. A row of a file is always taken: it is what a person says now. A row of a `move` is taken if
 * the other side says something new and nobody has changed anything here.
 */
export const withSettings = <T extends object>(
  stored: (T & ToldSettings) | undefined,
  made: T,
  { settingsOf, isMove }: { settingsOf: (item: T) => object; isMove: boolean },
): (T & ToldSettings) | undefined => {
  const there = digestOf(settingsOf(made));
  if (!stored) return { ...made, told: there };
  const { told } = stored;
  const as = (word: string | undefined) => ({ ...made, ...(word !== undefined && { told: word }) });
  if (isSameItem(stored, as(told))) return undefined;
  if (!isMove) return as(told);
  const here = digestOf(settingsOf(stored));
  return decideTold({ told, here, says: (word) => word === there }) === 'take' ? as(there) : undefined;
};

/** The number here after a pass of a move, if both sides count: the change at the other side is added to it. */
export const withChangeThere = (here: number, told: number, there: number): number => Math.max(0, here + there - told);
