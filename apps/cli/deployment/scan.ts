import { DeleteCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Kind } from '../../../lib/routes/route.ts';
import { listKey } from '../../../lib/store/stores.ts';
import { db, tableName } from '../../../lib/table/client.ts';
import { partition, residentKey, storeResidentKey } from '../../../lib/table/keys.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { removeMany, rowsOf } from '../../../lib/table/table.ts';

/** The key of an item that a scan found. */
interface ScannedKey extends Key {
  /** Present on a tombstone, which marks the key of an erased row of history. */
  erased?: string;
}

/**
 * Yields the keys of all items of a store, or of one kind, with the given attributes, page by page. Scans the whole
 * table, since only a scan finds items to which no other item leads.
 */
export async function* scanStore(
  id: string,
  attributes: readonly string[] = [],
  kind?: Kind,
): AsyncGenerator<ScannedKey[]> {
  let after: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await db.send(
      new ScanCommand({
        TableName: tableName(),
        FilterExpression: 'begins_with(pk, :owner)',
        ExpressionAttributeValues: { ':owner': kind === undefined ? `${id}#` : partition(id, kind, '') },
        ProjectionExpression: ['pk', 'sk', 'erased', ...attributes.map((name) => `#${name}`)].join(),
        ...(attributes.length > 0 && {
          ExpressionAttributeNames: Object.fromEntries(attributes.map((name) => [`#${name}`, name])),
        }),
        ConsistentRead: true,
        ExclusiveStartKey: after,
      }),
    );
    yield Items as ScannedKey[];
    after = LastEvaluatedKey;
  } while (after);
}

/**
 * The partitions of a store that hold items of a kind, each with the number of its items. A scan of the table costs far
 * less than a query of each possible partition.
 */
export const partitionsOf = async (store: string, kind: Kind): Promise<Map<string, number>> => {
  const partitions = new Map<string, number>();
  for await (const keys of scanStore(store, [], kind))
    for (const { pk } of keys) partitions.set(pk, (partitions.get(pk) ?? 0) + 1);
  return partitions;
};

/**
 * At most this many pages of the table are searched for a resident. A table without residents has hardly any other
 * item.
 */
const maxPages = 20;

/** False if neither the operator nor the store knows any resident. */
export const knowsAnybody = async (store: string): Promise<boolean> => {
  const [told] = await rowsOf({ partition: storeResidentKey(store, '').pk })({ descending: false, limit: 1 });
  if (told) return true;
  let after: Record<string, unknown> | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const { Items = [], LastEvaluatedKey } = await db.send(
      new ScanCommand({
        TableName: tableName(),
        FilterExpression: 'begins_with(pk, :residents)',
        ExpressionAttributeValues: { ':residents': residentKey('').pk },
        ProjectionExpression: 'pk',
        ExclusiveStartKey: after,
      }),
    );
    if (Items.length > 0) return true;
    if (!LastEvaluatedKey) return false;
    after = LastEvaluatedKey;
  }
  return true;
};

/**
 * Removes all items of a deleted store, page by page. Reports the number so far to `onRemoved`, and returns it. It can
 * be repeated after a crash. The API keys stay, with a mark, so that calls with them get 404 instead of 401.
 */
export const removeRows = async (id: string, onRemoved: (count: number) => void): Promise<number> => {
  let removed = 0;
  for await (const keys of scanStore(id)) {
    await removeMany(keys);
    removed += keys.length;
    onRemoved(removed);
  }
  return removed;
};

/** Removes a deleted store, which has no items left, from the list. */
export const forgetStore = async (id: string): Promise<void> => {
  await db.send(new DeleteCommand({ TableName: tableName(), Key: listKey(id) }));
};
