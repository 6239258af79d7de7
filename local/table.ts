import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { indexes, streamView, tableKey, ttlAttribute } from '../lib/table/schema.ts';

const keySchema = (partition: string, sort: string) => [
  { AttributeName: partition, KeyType: 'HASH' as const },
  { AttributeName: sort, KeyType: 'RANGE' as const },
];

const StreamSpecification = { StreamEnabled: true, StreamViewType: streamView } as const;

/**
 * Creates the table, as the stack does on AWS, if the engine lacks it. A table of an earlier version gets its stream. A test
 * without history may leave the stream out, which makes each of the engine's writes three times as long, and a benchmark of
 * items that are in no index the indexes, in which the engine looks for each item.
 */
export const ensureTable = async (
  client: DynamoDBClient,
  TableName: string,
  { streamed = true, indexed = true }: { streamed?: boolean; indexed?: boolean } = {},
): Promise<void> => {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    if (streamed && !Table?.StreamSpecification?.StreamEnabled)
      await client.send(new UpdateTableCommand({ TableName, StreamSpecification }));
    return;
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
  const all = indexed ? Object.entries(indexes) : [];
  const keys = new Set(
    [tableKey, ...all.map(([, index]) => index)].flatMap(({ partition, sort }) => [partition, sort]),
  );
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      ...(streamed && { StreamSpecification }),
      AttributeDefinitions: [...keys].map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
      KeySchema: keySchema(tableKey.partition, tableKey.sort),
      ...(indexed && {
        GlobalSecondaryIndexes: all.map(([IndexName, { partition, sort, include }]) => ({
          IndexName,
          KeySchema: keySchema(partition, sort),
          Projection:
            include.length > 0
              ? { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: [...include] }
              : { ProjectionType: 'KEYS_ONLY' as const },
        })),
      }),
    }),
  );
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName,
      TimeToLiveSpecification: { AttributeName: ttlAttribute, Enabled: true },
    }),
  );
};
