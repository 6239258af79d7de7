import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { indexes, tableKey } from '../table/schema.ts';

const keySchema = (partition: string, sort: string) => [
  { AttributeName: partition, KeyType: 'HASH' as const },
  { AttributeName: sort, KeyType: 'RANGE' as const },
];

/**
 * The table in the form of CreateTable, without its stream and, on request, without its indexes. The stack makes the
 * same table.
 */
export const tableDefinition = (TableName: string, { indexed = true } = {}): CreateTableCommandInput => {
  const all = indexed ? Object.entries(indexes) : [];
  const keys = new Set(
    [tableKey, ...all.map(([, index]) => index)].flatMap(({ partition, sort }) => [partition, sort]),
  );
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [...keys].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: keySchema(tableKey.partition, tableKey.sort),
    ...(indexed && {
      GlobalSecondaryIndexes: all.map(([IndexName, { partition, sort, include }]) => ({
        IndexName,
        KeySchema: keySchema(partition, sort),
        Projection:
          include.length > 0
            ? { ProjectionType: 'INCLUDE', NonKeyAttributes: [...include] }
            : { ProjectionType: 'KEYS_ONLY' },
      })),
    }),
  };
};
