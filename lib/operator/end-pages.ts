import { pageKey } from '../store/pages.ts';
import { partition } from '../table/keys.ts';
import type { Key } from '../table/schema.ts';
import { removeMany, rowsOf } from '../table/table.ts';

/** The items of the pages and codes of a store, or of one avatar there. */
export const listPages = (store: string, uuid?: string): Promise<Key[]> => {
  const range = uuid === undefined ? {} : { first: `${uuid}#`, last: `${uuid}#~` };
  return rowsOf<Key>({ partition: partition(store, 'PAGES'), ...range })({ descending: false });
};

/** Ends all pages and codes of a store, or of one avatar there: no request finds their records any more. */
export const endPages = async (store: string, uuid?: string): Promise<void> => {
  const listed = await listPages(store, uuid);
  // The records go first: if this stops in between, the list still leads to the records that are left.
  await removeMany(listed.map(({ sk }) => pageKey(sk.slice(sk.indexOf('#') + 1))));
  await removeMany(listed);
};
