import { randomUUID } from 'node:crypto';
import { DescribeTableCommand, DynamoDBClient, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { makeTables } from '../../../local/deployed/tables.ts';
import type { Part } from '../../../local/deployed/template.ts';
import { atEnd } from '../../support/at-end.ts';
import { freshTable } from '../../support/service.ts';

/** The table of a version that is put in the place of another. */

const key = (AttributeName: string) => [{ AttributeName, KeyType: 'HASH' }];
const index = (IndexName: string, of: string, ProjectionType = 'ALL') => ({
  ...{ IndexName, KeySchema: key(of), Projection: { ProjectionType } },
});

await freshTable();
const client = new DynamoDBClient({});
atEnd(() => client.destroy());

/** A table of one version, and a function that replaces it with the next version's. */
const versions = async (...indexes: object[]) => {
  const name = `versions-${randomUUID()}`;
  const put = (version: Part) => {
    const properties: Part = {
      AttributeDefinitions: ['id', 'a', 'b', 'c'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      ...{ BillingMode: 'PAY_PER_REQUEST', KeySchema: key('id'), ...version },
    };
    const used = JSON.stringify([properties.KeySchema, version.GlobalSecondaryIndexes]);
    properties.AttributeDefinitions = properties.AttributeDefinitions.filter(({ AttributeName }: Part) =>
      used.includes(`"AttributeName":"${AttributeName}"`),
    );
    const facts = { metadata: {}, dependsOn: [], isRetained: true };
    const part = { id: name, properties, ...facts, ref: () => name, arn: () => name };
    return makeTables({ ofType: () => [part] }, client);
  };
  await put({ GlobalSecondaryIndexes: indexes });
  const names = async () => {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
    return Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName).sort();
  };
  return { name, put, names };
};

test('an index that a version adds holds what is there already; one that the next one lacks is deleted', async () => {
  const { name, put, names } = await versions(index('byA', 'a'));
  await client.send(new PutItemCommand({ TableName: name, Item: { id: { S: '1' }, a: { S: 'x' }, b: { S: 'y' } } }));

  await put({ GlobalSecondaryIndexes: [index('byA', 'a'), index('byB', 'b')] });
  const { Count } = await client.send(
    new QueryCommand({
      ...{ TableName: name, IndexName: 'byB', KeyConditionExpression: 'b = :b' },
      ExpressionAttributeValues: { ':b': { S: 'y' } },
    }),
  );
  const both = await names();
  await put({ GlobalSecondaryIndexes: [index('byB', 'b')] });

  expect([Count, both, await names()]).toEqual([1, ['byA', 'byB'], ['byB']]);
});

test.each<[string, Part]>([
  ['makes or deletes 2 indexes', { GlobalSecondaryIndexes: [index('byA', 'a'), index('byB', 'b'), index('byC', 'c')] }],
  ['makes or deletes 2 indexes', { GlobalSecondaryIndexes: [index('byB', 'b')] }],
  ['changes the index byA', { GlobalSecondaryIndexes: [index('byA', 'b')] }],
  ['changes the index byA', { GlobalSecondaryIndexes: [index('byA', 'a', 'KEYS_ONLY')] }],
  ['has other keys', { KeySchema: key('b'), GlobalSecondaryIndexes: [index('byA', 'a')] }],
])('a version that %s is refused, and the table stays as it is', async (text, version) => {
  const { put, names } = await versions(index('byA', 'a'));

  await expect(put(version)).rejects.toThrow(text);
  expect(await names()).toEqual(['byA']);
});
