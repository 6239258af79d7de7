import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { tableDefinition } from '../../lib/operator/table-definition.ts';
import { streamView, ttlAttribute } from '../../lib/table/schema.ts';

const StreamSpecification = { StreamEnabled: true, StreamViewType: streamView } as const;

/**
 * Creates the table as the stack does on AWS, if the engine lacks it. A table without a stream gets one. A test without
 * history may leave the stream out, with which each write of the engine takes three times as long. A benchmark of items
 * that are in no index may leave the indexes out, since the engine searches them for each item.
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
  await client.send(
    new CreateTableCommand({ ...tableDefinition(TableName, { indexed }), ...(streamed && { StreamSpecification }) }),
  );
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName,
      TimeToLiveSpecification: { AttributeName: ttlAttribute, Enabled: true },
    }),
  );
};
