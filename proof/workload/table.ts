import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { tableName } from '../../lib/table/client.ts';

// biome-ignore lint/suspicious/noExplicitAny: items of any kind.
export type Item = Record<string, any>;

/** The part of an item's partition after its kind: mostly the customer's UUID. */
export const partOf = ({ pk }: Item): string => pk.split('#')[2] ?? '';

/** A category that was deleted, or an application that was revoked, keeps its item for a while. */
const isGone = (kind: string, { ttl, expiresAt }: Item): boolean =>
  (kind === 'CATEGORY' && ttl !== undefined) || (kind === 'APPLIED' && expiresAt === '');

/**
 * A store's items by kind, without the ones that are gone. The records of requests are only counted, by state, since
 * there are many.
 */
export const createTable = (store: string) => {
  const kinds = new Map<string, Item[]>();
  const requests: Record<string, number> = {};
  return {
    add: (item: Item): void => {
      const [owner, kind = ''] = item.pk.split('#');
      if (owner !== store || isGone(kind, item)) return;
      if (kind === 'REQUEST') requests[item.state] = (requests[item.state] ?? 0) + 1;
      else if (!kinds.get(kind)?.push(item)) kinds.set(kind, [item]);
    },
    of: (kind: string): Item[] => kinds.get(kind) ?? [],
    all: (): Item[] => [...kinds.values()].flat(),
    requests,
  };
};

export type Table = ReturnType<typeof createTable>;

export const readTable = async (endpoint: string, store: string): Promise<Table> => {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint }));
  const table = createTable(store);
  for await (const { Items = [] } of paginateScan({ client }, { TableName: tableName() })) Items.forEach(table.add);
  client.destroy();
  return table;
};
