import { DeleteCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { listKey } from '../lib/store/stores.ts';
import { db, tableName } from '../lib/table/client.ts';
import type { Key } from '../lib/table/schema.ts';
import { removeMany } from '../lib/table/table.ts';

/**
 * The keys of everything that a store owns, a page at a time. It scans the whole table, since only a scan surely meets
 * every item, whether or not anything leads to it.
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
 * many items it removed, and reports it meanwhile. The keys stay, marked: calls with them are answered 404, not 401.
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

/** Takes a deleted store from the list: nothing of it is left. */
export const forgetStore = async (id: string): Promise<void> => {
  await db.send(new DeleteCommand({ TableName: tableName(), Key: listKey(id) }));
};
