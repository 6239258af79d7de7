import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { now, randomText, timestamp } from '../clock.ts';
import { listKeyIds, markStoreGone } from './api-keys.ts';
import { db, sharedKey, tableName } from './table.ts';

/** A merchant's store. Its id is part of the key of everything it owns. */
export interface Store {
  id: string;
  name: string;
  createdAt: string;
}

export const createStore = async (name: string, id = randomText(12)): Promise<Store> => {
  const store = { id, name, createdAt: timestamp(now()) };
  await db.send(new PutCommand({ TableName: tableName(), Item: { ...sharedKey('STORE', id), ...store } }));
  return store;
};

export const findStore = async (id: string): Promise<Store | undefined> => {
  const { Item } = await db.send(
    new GetCommand({ TableName: tableName(), Key: sharedKey('STORE', id), ConsistentRead: true }),
  );
  return Item as Store | undefined;
};

/**
 * Deletes the store's own item, then marks its keys, which are answered 404 from then on. No key can be issued in
 * between, since issuing one asks for the store in the same transaction. What the store owns is left in the table.
 */
export const deleteStore = async (id: string): Promise<void> => {
  await db.send(new DeleteCommand({ TableName: tableName(), Key: sharedKey('STORE', id) }));
  for (const keyId of await listKeyIds(id)) await markStoreGone(keyId);
};
