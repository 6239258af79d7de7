import { now, randomText, timestamp } from '../lib/clock.ts';
import { listKey, type Store } from '../lib/store/stores.ts';
import { exists, put, remove, update } from '../lib/table/language.ts';
import { sharedKey } from '../lib/table/schema.ts';
import { transact } from '../lib/table/table.ts';
import { listKeyIds, markStoreGone } from './api-keys.ts';

export const createStore = async (name: string, id = randomText(12)): Promise<Store> => {
  const store = { id, name, createdAt: timestamp(now()) };
  await transact([put({ ...sharedKey('STORE', id), ...store }), put({ ...listKey(id), ...store })]);
  return store;
};

/**
 * Deletes the store's own item, then marks its keys, which get 404 from then on. No key can be issued in between, since
 * the transaction that issues a key checks the store. The store's items stay in the table, and the store stays in the
 * list as deleted.
 */
export const deleteStore = async (id: string): Promise<void> => {
  await transact([
    remove(sharedKey('STORE', id)),
    update(listKey(id), { ifMissing: { deletedAt: timestamp(now()) }, when: exists }),
  ]);
  for (const keyId of await listKeyIds(id)) await markStoreGone(keyId);
};
