import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Resource, templateOf } from '../support/stack.ts';

/**
 * `state.json` describes the resources with state as the last release deploys them. With another logical id
 * CloudFormation would make an empty table, lose queued deliveries or change the API's address. `WRITE_STATE=1` writes
 * the file again, in the commit of a release.
 */
const file = new URL('state.json', import.meta.url);

const { ofType } = templateOf({
  ownEncryptionKey: 'true',
  domainName: 'api.example.org',
  certificateArn: 'arn:aws:acm:us-east-1:111111111111:certificate/1',
});

/** CloudFormation replaces a resource, or loses its state, when one of these properties changes. */
const lasting: Record<string, string[]> = {
  'AWS::ApiGateway::DomainName': ['DomainName', 'EndpointConfiguration'],
  'AWS::ApiGateway::RestApi': ['EndpointConfiguration'],
  'AWS::ApiGateway::Stage': ['StageName', 'RestApiId'],
  'AWS::DynamoDB::Table': [
    'TableName',
    'BillingMode',
    'DeletionProtectionEnabled',
    'KeySchema',
    'PointInTimeRecoverySpecification',
    'StreamSpecification',
    'TimeToLiveSpecification',
  ],
  // Another mapping would read the stream again from its beginning, or its queue beside the old one.
  'AWS::Lambda::EventSourceMapping': ['EventSourceArn', 'StartingPosition'],
  'AWS::KMS::Key': ['KeySpec', 'KeyUsage', 'MultiRegion'],
  'AWS::SecretsManager::Secret': ['Name', 'GenerateSecretString', 'SecretString'],
  'AWS::SQS::Queue': ['QueueName', 'FifoQueue', 'MessageRetentionPeriod'],
};

const factsOf = ({ Type, DeletionPolicy, UpdateReplacePolicy, Properties }: Resource) => ({
  Type,
  DeletionPolicy,
  UpdateReplacePolicy,
  ...Object.fromEntries((lasting[Type] ?? []).map((name) => [name, Properties[name]])),
});

/**
 * The key of the table or of an index, such as `pk S, sk S`: of another name or type it would be another table or
 * index.
 */
const keysOf = (schema: Resource[], definitions: Resource[]): string =>
  schema
    .map(({ AttributeName: name }) => {
      const { AttributeType } = definitions.find(({ AttributeName }) => AttributeName === name) ?? {};
      return `${name} ${AttributeType}`;
    })
    .join(', ');

type Indexes = Record<string, { keys: string; projection: string }>;

const [[, table]] = ofType('AWS::DynamoDB::Table') as [[string, Resource]];
const { AttributeDefinitions } = table.Properties;
const indexes: Indexes = Object.fromEntries(
  table.Properties.GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }: Resource) => [
    IndexName,
    {
      keys: keysOf(KeySchema, AttributeDefinitions),
      projection: [Projection.ProjectionType, ...(Projection.NonKeyAttributes ?? [])].join(' '),
    },
  ]),
);

/** The number of updates from some indexes to others: one update creates or deletes one index. */
const updatesBetween = (before: Indexes, after: Indexes): number => {
  const notIn = (others: Indexes, [name, index]: [string, Indexes[string]]): boolean =>
    JSON.stringify(others[name]) !== JSON.stringify(index);
  return [
    ...Object.entries(before).filter((one) => notIn(after, one)),
    ...Object.entries(after).filter((one) => notIn(before, one)),
  ].length;
};

const keys = keysOf(table.Properties.KeySchema, AttributeDefinitions);

const resources = Object.fromEntries(
  Object.keys(lasting)
    .flatMap((type) => ofType(type))
    .map(([id, one]): [string, object] => [id, factsOf(one)])
    .sort(([a], [b]) => (a < b ? -1 : 1)),
);

if (process.env.WRITE_STATE) writeFileSync(file, `${JSON.stringify({ keys, resources, indexes }, null, 2)}\n`);
const released = JSON.parse(readFileSync(file, 'utf8'));

test('the resources with state keep their logical ids and lasting properties', () => {
  expect({ keys, resources }).toEqual({ keys: released.keys, resources: released.resources });
});

test('a release creates or deletes at most one index, since DynamoDB allows one per update', () => {
  expect(updatesBetween(released.indexes, indexes)).toBeLessThanOrEqual(1);
});

test('one new index takes one update, and two new ones or another projection take two', () => {
  const one = { byA: { keys: 'a, sk', projection: 'KEYS_ONLY' } };
  const two = { ...one, byB: { keys: 'b, sk', projection: 'KEYS_ONLY' } };
  const wider = { byA: { keys: 'a, sk', projection: 'INCLUDE text' } };

  const updates = [updatesBetween(one, two), updatesBetween({}, two), updatesBetween(one, wider)];

  expect(updates).toEqual([1, 2, 2]);
});
