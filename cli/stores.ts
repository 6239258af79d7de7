import { now, randomText, timestamp } from '../lib/clock.ts';
import type { Store } from '../lib/store/stores.ts';
import { exists, put, remove, update } from '../lib/table/language.ts';
import { type Key, sharedKey } from '../lib/table/schema.ts';
import { rowsOf, transact } from '../lib/table/table.ts';
import { listKeyIds, markStoreGone } from './api-keys.ts';

/** Beside its own item, which calls check, each store has one in this partition: the list of stores. */
export const listKey = (id: string): Key => ({ pk: sharedKey('STORE', '').pk, sk: id });

export const createStore = async (name: string, id = randomText(12)): Promise<Store> => {
  const store = { id, name, createdAt: timestamp(now()) };
  await transact([put({ ...sharedKey('STORE', id), ...store }), put({ ...listKey(id), ...store })]);
  return store;
};

/** Every store of the deployment, in the order of their ids; those whose deletion has begun too. */
export const listStores = async (): Promise<Store[]> => {
  const rows = await rowsOf<Store & Key>({ partition: listKey('').pk })({ descending: false });
  return rows.map(({ id, name, createdAt, deletedAt }) => ({ id, name, createdAt, ...(deletedAt && { deletedAt }) }));
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
