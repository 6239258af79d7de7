import { describe, expect, test } from 'vitest';
import { accessOf, permissions } from '../../../infra/permissions.ts';
import { routes } from '../../../lib/routes/routes.ts';
import { doStatementsAllow, type Statement, tableUses } from '../../../local/deployed/roles.ts';

const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/T';

const statement = (part: Partial<Statement> = {}): Statement => ({
  Effect: 'Allow',
  Action: ['dynamodb:GetItem', 'dynamodb:Query'],
  Resource: [table, `${table}/index/byRank`],
  Condition: {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['*#COUPON', '*#COUPON#*'] },
    Null: { 'dynamodb:LeadingKeys': 'false' },
  },
  ...part,
});

const asked = (part: object = {}) => ({
  action: 'dynamodb:GetItem',
  resource: table,
  context: { 'dynamodb:LeadingKeys': ['s#COUPON'] },
  ...part,
});

describe('a role', () => {
  test.each([
    ['another action', { action: 'dynamodb:PutItem' }],
    ['another table', { resource: `${table}2` }],
    ['another index', { action: 'dynamodb:Query', resource: `${table}/index/byText` }],
    ['another partition', { context: { 'dynamodb:LeadingKeys': ['s#PRODUCT'] } }],
    ['one of several partitions', { context: { 'dynamodb:LeadingKeys': ['s#COUPON', 's#PRODUCT'] } }],
    ['no partition', { context: {} }],
  ])('refuses %s', (_, part) => {
    expect([doStatementsAllow([statement()], asked()), doStatementsAllow([statement()], asked(part))]).toEqual([
      true,
      false,
    ]);
  });

  test('refuses what another of its statements denies, and everything without statements', () => {
    const denied = statement({ Effect: 'Deny', Action: 'dynamodb:*' });

    expect([doStatementsAllow([statement(), denied], asked()), doStatementsAllow([], asked())]).toEqual([false, false]);
  });

  test('says that it does not know a condition, rather than to pass it over', () => {
    const unknown = statement({ Condition: { StringEqualsIgnoreCase: { 'aws:x': 'y' } } });

    expect(() => doStatementsAllow([unknown], asked())).toThrow('does not know the condition StringEqualsIgnoreCase');
  });
});

test('asks about each item of a transaction and each partition of a batch', () => {
  const key = (pk: string) => ({ pk: { S: pk }, sk: { S: 'x' } });

  const uses = tableUses('TransactWriteItems', {
    TransactItems: [
      { Put: { TableName: 'T', Item: key('s#COUPON') } },
      { Delete: { TableName: 'T', Key: key('s#SPEND') } },
      { ConditionCheck: { TableName: 'T', Key: key('STORE#s') } },
    ],
  });
  const batch = tableUses('BatchGetItem', { RequestItems: { T: { Keys: [key('a'), key('b')] } } });

  expect(uses.map(({ action, partitions }) => [action, ...partitions])).toEqual([
    ['PutItem', 's#COUPON'],
    ['DeleteItem', 's#SPEND'],
    ['ConditionCheckItem', 'STORE#s'],
  ]);
  expect(batch.map(({ action, partitions }) => [action, ...partitions])).toEqual([['BatchGetItem', 'a', 'b']]);
});

test('a scan names no partition, so no role of an endpoint allows it', () => {
  const [scan] = tableUses('Scan', { TableName: 'T' });

  const statements = routes.flatMap((row) =>
    permissions(accessOf(row)).map(({ partitions }) =>
      statement({
        Action: '*',
        Condition: {
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
          Null: { 'dynamodb:LeadingKeys': 'false' },
        },
      }),
    ),
  );

  expect(scan?.partitions).toEqual([]);
  expect(doStatementsAllow(statements, asked({ context: { 'dynamodb:LeadingKeys': scan?.partitions } }))).toBe(false);
});
