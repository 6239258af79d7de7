import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { tableName } from '../../lib/table/client.ts';

// biome-ignore lint/suspicious/noExplicitAny: items of any kind.
export type Item = Record<string, any>;

/** The part of an item's partition behind its kind: of most, the customer's UUID. */
export const partOf = ({ pk }: Item): string => pk.split('#')[2] ?? '';

/** A category that was deleted young, or an application that was revoked: its item stays for a while. */
const isGone = (kind: string, { ttl, expiresAt }: Item): boolean =>
  (kind === 'CATEGORY' && ttl !== undefined) || (kind === 'APPLIED' && expiresAt === '');

/**
 * A store's items by kind, without those that are gone. It only counts the records of requests, by state, since there
 * are so many.
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
