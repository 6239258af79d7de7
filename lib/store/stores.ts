import { DeleteCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { now, randomText, timestamp } from '../clock.ts';
import { deleteMany, type Key, rowsOf } from '../table/query.ts';
import { type TransactItem, transact } from '../table/retry.ts';
import { db, findItem, sharedKey, tableName } from '../table/table.ts';
import { listKeyIds, markStoreGone } from './api-keys.ts';

/** A merchant's store. Its id is part of the key of everything it owns. */
export interface Store {
  id: string;
  name: string;
  createdAt: string;
  /** Its deletion has begun then: no call finds it any more, but some of what it owned may still be in the table. */
  deletedAt?: string;
}

/** Beside its own item, which calls check, each store has one in this partition: the list of stores. */
const listKey = (id: string) => ({ pk: sharedKey('STORE', '').pk, sk: id });

export const createStore = async (name: string, id = randomText(12)): Promise<Store> => {
  const store = { id, name, createdAt: timestamp(now()) };
  await transact(
    [sharedKey('STORE', id), listKey(id)].map(
      (key): TransactItem => ({
        Put: { TableName: tableName(), Item: { ...key, ...store } },
      }),
    ),
  );
  return store;
};

export const findStore = async (id: string): Promise<Store | undefined> => {
  return findItem<Store>(sharedKey('STORE', id));
};

/** Every store of the deployment, in the order of their ids; those whose deletion has begun too. */
export const listStores = async (): Promise<Store[]> => {
  const rows = await rowsOf<Store & { pk: string; sk: string }>({ partition: listKey('').pk })({ descending: false });
  return rows.map(({ id, name, createdAt, deletedAt }) => ({ id, name, createdAt, ...(deletedAt && { deletedAt }) }));
};

/**
 * Deletes the store's own item, then marks its keys, which are answered 404 from then on. No key can be issued in
 * between, since issuing one asks for the store in the same transaction. What the store owns is left in the table, and
 * the store in the list, as deleted.
 */
export const deleteStore = async (id: string): Promise<void> => {
  await transact([
    { Delete: { TableName: tableName(), Key: sharedKey('STORE', id) } },
    {
      Update: {
        TableName: tableName(),
        Key: listKey(id),
        UpdateExpression: 'SET deletedAt = if_not_exists(deletedAt, :at)',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':at': timestamp(now()) },
      },
    },
  ]);
  for (const keyId of await listKeyIds(id)) await markStoreGone(keyId);
};

/**
 * The keys of everything that a store owns, a page at a time. It scans the whole table, since only that surely meets
 * every item, whatever leads to it or does not.
 */
export async function* scanStore(id: string): AsyncGenerator<Key[]> {
  let after: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await db.send(
      new ScanCommand({
        TableName: tableName(),
        FilterExpression: 'begins_with(pk, :owner)',
        ExpressionAttributeValues: { ':owner': `${id}#` },
        ProjectionExpression: 'pk, sk',
        ConsistentRead: true,
        ExclusiveStartKey: after,
      }),
    );
    yield Items as Key[];
    after = LastEvaluatedKey;
  } while (after);
}

/**
 * Removes everything that a deleted store owned, a page at a time; may die anywhere and be called again. Answers how
 * many items it removed, and says so while it does. The keys stay, marked: calls with them are answered 404 rather than 401.
 */
export const removeRows = async (id: string, onRemoved: (count: number) => void): Promise<number> => {
  let removed = 0;
  for await (const keys of scanStore(id)) {
    await deleteMany(keys);
    removed += keys.length;
    onRemoved(removed);
  }
  return removed;
};

/** Takes a deleted store from the list: nothing of it is left. */
export const forgetStore = async (id: string): Promise<void> => {
  await db.send(new DeleteCommand({ TableName: tableName(), Key: listKey(id) }));
};
