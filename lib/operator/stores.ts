import { now, randomText, timestamp } from '../clock.ts';
import { listKeyIds, markStoreGone } from '../store/issued-keys.ts';
import { listKey, type Store } from '../store/stores.ts';
import { sharedKey } from '../table/keys.ts';
import { exists, put, remove, update, type Write } from '../table/language.ts';
import { transact } from '../table/table.ts';
import { endPages } from './end-pages.ts';

/** Creates a store, in one transaction with the writes that `together` makes for it. */
export const createStore = async (
  name: string,
  id = randomText(12),
  together: (store: Store) => readonly Write[] = () => [],
): Promise<Store> => {
  const store = { id, name, createdAt: timestamp(now()) };
  const items = [put({ ...sharedKey('STORE', id), ...store }), put({ ...listKey(id), ...store })];
  await transact([...items, ...together(store)]);
  return store;
};

/**
 * Ends the pages of a store's customers. Deletes the store's own item, in one transaction with other writes, and then
 * marks its keys, which get 404 from then on. No key can be issued in between: the transaction that issues a key checks
 * that the store exists. The store's items stay in the table, and the list keeps the store as deleted.
 */
export const deleteStore = async (id: string, together: readonly Write[] = []): Promise<void> => {
  await endPages(id);
  await transact([
    remove(sharedKey('STORE', id)),
    update(listKey(id), { ifMissing: { deletedAt: timestamp(now()) }, when: exists }),
    ...together,
  ]);
  for (const keyId of await listKeyIds(id)) await markStoreGone(keyId);
  // A key may have opened a page meanwhile. From here on no key finds the store.
  await endPages(id);
};
