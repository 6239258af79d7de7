import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Resource, templateOf } from '../support/stack.ts';

/**
 * `state.json` describes the resources with state as the last release deploys them. With another logical id CloudFormation
 * would make an empty table, lose queued deliveries or change the API's address. The commit of a release that changes the
 * indexes updates the file.
 */
const released = JSON.parse(readFileSync(new URL('state.json', import.meta.url), 'utf8'));

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
    'TimeToLiveSpecification',
  ],
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

type Indexes = Record<string, { keys: string; projection: string }>;

const [[, table]] = ofType('AWS::DynamoDB::Table') as [[string, Resource]];
const indexes: Indexes = Object.fromEntries(
  table.Properties.GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }: Resource) => [
    IndexName,
    {
      keys: KeySchema.map(({ AttributeName }: Resource) => AttributeName).join(', '),
      projection: [Projection.ProjectionType, ...(Projection.NonKeyAttributes ?? [])].join(' '),
    },
  ]),
);

/** The number of updates that lead from some indexes to others: one update creates or deletes one index. */
const updatesBetween = (before: Indexes, after: Indexes): number => {
  const notIn = (others: Indexes, [name, index]: [string, Indexes[string]]): boolean =>
    JSON.stringify(others[name]) !== JSON.stringify(index);
  return [
    ...Object.entries(before).filter((one) => notIn(after, one)),
    ...Object.entries(after).filter((one) => notIn(before, one)),
  ].length;
};

test('the resources with state keep their logical ids and lasting properties', () => {
  const resources = Object.keys(lasting).flatMap((type) => ofType(type).map(([id, one]) => [id, factsOf(one)]));

  expect(Object.fromEntries(resources)).toEqual(released.resources);
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
