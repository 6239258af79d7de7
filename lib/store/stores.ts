import { now, randomText, timestamp } from '../clock.ts';
import { exists, put, remove, update } from '../table/language.ts';
import { type Key, sharedKey } from '../table/schema.ts';
import { get, rowsOf, transact } from '../table/table.ts';
import { listKeyIds, markStoreGone } from './api-keys.ts';

/** A merchant's store. Its id is part of the key of everything it owns. */
export interface Store {
  id: string;
  name: string;
  createdAt: string;
  /** The time when its deletion began. No call finds it since then, but some of its items may still be in the table. */
  deletedAt?: string;
}

/** Beside its own item, which calls check, each store has one in this partition: the list of stores. */
export const listKey = (id: string): Key => ({ pk: sharedKey('STORE', '').pk, sk: id });

export const createStore = async (name: string, id = randomText(12)): Promise<Store> => {
  const store = { id, name, createdAt: timestamp(now()) };
  await transact([put({ ...sharedKey('STORE', id), ...store }), put({ ...listKey(id), ...store })]);
  return store;
};

export const findStore = (id: string): Promise<Store | undefined> => get<Store>(sharedKey('STORE', id));

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
