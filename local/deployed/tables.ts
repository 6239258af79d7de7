import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  type DynamoDBClient,
  type GlobalSecondaryIndex,
  type GlobalSecondaryIndexDescription,
  type GlobalSecondaryIndexUpdate,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import type { Part, ResolvedTemplate } from './template.ts';

const describe = (client: DynamoDBClient, TableName: string): Promise<TableDescription | undefined> =>
  client.send(new DescribeTableCommand({ TableName })).then(
    ({ Table }) => Table,
    (error: unknown) => {
      if (error instanceof ResourceNotFoundException) return undefined;
      throw error;
    },
  );

/** The parts of an index that no update can change. */
const shapeOf = ({ KeySchema = [], Projection = {} }: GlobalSecondaryIndex | GlobalSecondaryIndexDescription) => ({
  keys: KeySchema.map(({ AttributeName, KeyType }) => `${KeyType} ${AttributeName}`),
  projection: [Projection.ProjectionType, ...[...(Projection.NonKeyAttributes ?? [])].sort()],
});

const isReady = ({ TableStatus, GlobalSecondaryIndexes = [] }: TableDescription): boolean =>
  TableStatus === 'ACTIVE' && GlobalSecondaryIndexes.every(({ IndexStatus }) => IndexStatus === 'ACTIVE');

/**
 * The change that gives a table the template's indexes; undefined if there is none. Throws if CloudFormation would
 * refuse it.
 */
const indexChange = (
  table: TableDescription,
  keySchema: unknown,
  wanted: readonly GlobalSecondaryIndex[],
): GlobalSecondaryIndexUpdate | undefined => {
  const name = table.TableName;
  if (!isDeepStrictEqual(table.KeySchema, keySchema))
    throw new Error(`The update has other keys for ${name}: CloudFormation would replace the table by an empty one.`);
  const there = table.GlobalSecondaryIndexes ?? [];
  const [namesThere, namesWanted] = [there, wanted].map((all) => new Set(all.map(({ IndexName }) => IndexName)));
  for (const index of wanted) {
    const known = there.find(({ IndexName }) => IndexName === index.IndexName);
    if (known && !isDeepStrictEqual(shapeOf(known), shapeOf(index)))
      throw new Error(`The update changes the index ${index.IndexName} of ${name}: give the new one another name.`);
  }
  const changes: GlobalSecondaryIndexUpdate[] = [
    ...wanted.filter(({ IndexName }) => !namesThere?.has(IndexName)).map((index) => ({ Create: index })),
    ...there
      .filter(({ IndexName }) => !namesWanted?.has(IndexName))
      .map(({ IndexName }) => ({ Delete: { IndexName } })),
  ];
  if (changes.length > 1)
    throw new Error(
      `The update makes or deletes ${changes.length} indexes of ${name}: DynamoDB takes one in an update.`,
    );
  return changes[0];
};

/** Makes the template's tables if the engine lacks them, and gives existing tables the template's indexes. */
export const makeTables = async (template: Pick<ResolvedTemplate, 'ofType'>, client: DynamoDBClient): Promise<void> => {
  for (const { ref, properties } of template.ofType('AWS::DynamoDB::Table')) {
    const TableName = ref();
    const { AttributeDefinitions, BillingMode, KeySchema, TimeToLiveSpecification } = properties;
    const indexes = (properties.GlobalSecondaryIndexes ?? []).map(({ OnDemandThroughput: _, ...index }: Part) => index);
    const table = await describe(client, TableName);
    if (table) {
      const change = indexChange(table, KeySchema, indexes);
      if (!change) continue;
      const GlobalSecondaryIndexUpdates = [change];
      await client.send(new UpdateTableCommand({ TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates }));
      while (!isReady((await describe(client, TableName)) ?? {})) await sleep(100);
      continue;
    }
    const { StreamViewType } = properties.StreamSpecification ?? {};
    const input: CreateTableCommandInput = {
      TableName,
      AttributeDefinitions,
      BillingMode,
      KeySchema,
      GlobalSecondaryIndexes: indexes,
      ...(StreamViewType && { StreamSpecification: { StreamEnabled: true, StreamViewType } }),
    };
    await client.send(new CreateTableCommand(input));
    if (TimeToLiveSpecification) await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  }
};
