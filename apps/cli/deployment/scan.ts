import { DeleteCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Kind } from '../../../lib/routes/route.ts';
import { listKey } from '../../../lib/store/stores.ts';
import { db, tableName } from '../../../lib/table/client.ts';
import { partition, residentKey, storeResidentKey } from '../../../lib/table/keys.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { removeMany, rowsOf } from '../../../lib/table/table.ts';

/** The key of an item of a store. */
interface ScannedKey extends Key {
  /** It marks the place of a row of history whose customer was erased. */
  erased?: string;
}

/**
 * The keys of all items of a store, or of one kind, with the given attributes, page by page. Scans the whole table:
 * only a scan finds items to which no other item leads.
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
 * The partitions of a store that hold items of a kind, with the number of their items. A scan of the table costs far
 * less than a query of each partition that might exist.
 */
export const partitionsOf = async (store: string, kind: Kind): Promise<Map<string, number>> => {
  const partitions = new Map<string, number>();
  for await (const keys of scanStore(store, [], kind))
    for (const { pk } of keys) partitions.set(pk, (partitions.get(pk) ?? 0) + 1);
  return partitions;
};

/** How many pages of the table are searched for a resident. A table without any resident holds little else. */
const maxPages = 20;

/** False if neither the operator nor the store was told of anybody. */
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
 * Removes all items of a deleted store, page by page, and reports how many so far. Returns how many it removed. It can
 * be repeated after a crash. The API keys stay, marked, so that calls with them get 404 instead of 401.
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

/** Removes a deleted store from the list, when none of its items is left. */
export const forgetStore = async (id: string): Promise<void> => {
  await db.send(new DeleteCommand({ TableName: tableName(), Key: listKey(id) }));
};
