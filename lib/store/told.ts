import { isDeepStrictEqual } from 'node:util';

/**
 * Whose word counts where an import, or a move from another service, tells of a thing: that of the import until this
 * store has acted on the thing, then the store's own, for good.
 */

/** A thing of a store, and a row that tells of it. `T` is what an import can tell: values, or a digest of them. */
export interface ToldOf<T> {
  /** As the last import told it; undefined for a thing that was made here. */
  told: T | undefined;
  /** As it is here; undefined where it is not. */
  here: T | undefined;
  /** This store has acted on it, though its values may be those that were told. */
  isTouched?: boolean;
  /** Tells whether the row says just this. One with few columns may say several. */
  says: (values: T) => boolean;
}

/**
 * Decides what a row does. `create`: nothing is here. `unchanged`: the row says what is here, or nothing new. `take`:
 * the row's word counts. `keep`: the store's word counts, and the row says otherwise, so the difference must be told.
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
