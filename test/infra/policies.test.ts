import { matchesGlob } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  accessOf,
  authorizerPermissions,
  consumerAccess,
  lookUpAccess,
  type Permission,
  permissions,
  sweepAccess,
  togetherOf,
  workerAccess,
} from '../../infra/permissions.ts';
import { kindsWritten, functionFile as servingOf } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { sharedKey } from '../../lib/table/keys.ts';
import { idOf, type Resource, templateOf } from '../support/stack.ts';

const { all, ofType, functionOf } = templateOf();

/** The rows by the function that serves them. */
const served = Map.groupBy(routes, servingOf);

test('no function may read the secret of the pseudonyms', () => {
  const everyone = [...routes.map(accessOf), ...[workerAccess, lookUpAccess, sweepAccess, consumerAccess]].flatMap(
    permissions,
  );
  const patterns = [...everyone, ...authorizerPermissions].flatMap(({ partitions }) => partitions);
  const isMatch = (pattern: string): boolean => matchesGlob(sharedKey('ERASURE', 'secret').pk, pattern);

  expect(patterns.filter(isMatch)).toEqual([]);
  expect(['ERASURE#*', '*#secret'].every(isMatch)).toBe(true);
});

describe('policies', () => {
  const [tableId] = ofType('AWS::DynamoDB::Table')[0] as [string, Resource];
  const tableArn = { 'Fn::GetAtt': [tableId, 'Arn'] };
  const indexArn = (name: string) => ({ 'Fn::Join': ['', [tableArn, `/index/${name}`]] });
  const queueArn = (name: string) => ({
    'Fn::GetAtt': [ofType('AWS::SQS::Queue').find(([id]) => id.includes(name))?.[0], 'Arn'],
  });
  // The CDK sorts lists in its own way.
  const asList = (value: unknown): string[] =>
    [value]
      .flat()
      .map((one) => JSON.stringify(one))
      .sort();

  /** For the event source, not for the code. */
  const isOfStream = ({ Sid }: Resource): boolean => ['Stream', 'ListStreams'].includes(Sid);

  const statementsOf = (entry: string): Resource[] => {
    const [, fn] = functionOf(entry);
    const role = all[idOf(fn.Properties.Role)].Properties;
    expect(role.ManagedPolicyArns).toBeUndefined();
    expect(role.Policies).toHaveLength(1);
    return role.Policies[0].PolicyDocument.Statement;
  };

  const expected = ({ sid, actions, indexes: names, partitions }: Permission) => ({
    sid,
    actions: asList(actions.map((action) => `dynamodb:${action}`)),
    resources: asList([tableArn, ...names.map(indexArn)]),
    condition: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    },
  });

  const tablePart = (entry: string) =>
    statementsOf(entry)
      .filter((one) => !isOfStream(one) && JSON.stringify(one.Action).includes('dynamodb:'))
      .map(({ Sid, Action, Resource, Condition }) => ({
        sid: Sid,
        actions: asList(Action),
        resources: asList(Resource),
        condition: Condition,
      }));

  const accesses: [string, Permission[]][] = [
    ...[...served].map(([entry, rows]): [string, Permission[]] => [entry, permissions(accessOf(togetherOf(rows)))]),
    ['authorizer', authorizerPermissions],
    ['delivery-worker', permissions(workerAccess)],
    ['resident-lookup', permissions(lookUpAccess)],
    ['expiry-sweep', permissions(sweepAccess)],
    ['stream-consumer', permissions(consumerAccess)],
  ];

  test.each(accesses)('%s has the declared permissions on the table, and no others', (entry, permitted) => {
    expect(tablePart(entry)).toEqual(permitted.map(expected));
  });

  test.each(accesses)('%s may write its own log, and has no other permission that it does not need', (entry) => {
    const others = statementsOf(entry).filter(
      (one) => isOfStream(one) || !JSON.stringify(one.Action).includes('dynamodb:'),
    );

    const rows = served.get(entry) ?? [];
    const [lookUpId] = functionOf('resident-lookup');
    const lookUp = { 'Fn::GetAtt': [lookUpId, 'Arn'] };
    const sends = [
      ...(rows.some(({ queue }) => queue)
        ? [{ Sid: 'Send', Action: 'sqs:SendMessage', Resource: queueArn('DataDeliveries') }]
        : []),
      ...(entry === 'expiry-sweep'
        ? [
            {
              Sid: 'Send',
              Action: 'sqs:SendMessage',
              Resource: [queueArn('DataDeliveries'), queueArn('SlowDeliveries')],
            },
          ]
        : []),
      ...(rows.some(({ resolves }) => resolves)
        ? [{ Sid: 'LookUp', Action: 'lambda:InvokeFunction', Resource: lookUp }]
        : []),
      ...(entry === 'stream-consumer'
        ? [
            {
              Sid: 'Stream',
              Action: ['DescribeStream', 'GetRecords', 'GetShardIterator'].map((one) => `dynamodb:${one}`),
              Resource: { 'Fn::Join': ['', [tableArn, '/stream/*']] },
            },
            { Sid: 'ListStreams', Action: 'dynamodb:ListStreams', Resource: '*' },
            {
              Sid: 'Send',
              Action: 'sqs:SendMessage',
              Resource: ['DataDeliveries', 'HistoryFailures', 'SlowDeliveries'].map(queueArn),
            },
          ]
        : []),
    ];
    const [log] = others.filter(({ Sid }) => Sid === 'Log');
    expect(log.Action).toEqual(['logs:CreateLogStream', 'logs:PutLogEvents']);
    expect(idOf(log.Resource)).toBe(idOf(functionOf(entry)[1].Properties.LoggingConfig.LogGroup));
    if (entry !== 'delivery-worker')
      expect(others.filter(({ Sid }) => Sid !== 'Log')).toEqual(sends.map((one) => ({ ...one, Effect: 'Allow' })));
  });

  test('an endpoint may update a store or a key, one function makes keys, and none deletes one', () => {
    for (const row of routes) {
      const shared = tablePart(servingOf(row)).filter(({ condition }) =>
        /"(?:STORE|KEY)#\*"/.test(JSON.stringify(condition)),
      );
      const writes = shared.flatMap(({ actions }) =>
        actions.filter((action) => /Put|Update|Delete|Write/.test(action)),
      );
      // The function of the rules also serves the endpoints of a product's card.
      const updates = ['rules', 'keys', 'own-key', 'store/close-store', 'store/open-store'].includes(servingOf(row));
      const expected = [...(updates ? ['UpdateItem'] : []), ...(servingOf(row) === 'keys' ? ['PutItem'] : [])];
      expect(writes, row.id).toEqual(expected.map((action) => `"dynamodb:${action}"`));
    }
  });

  test('the functions that change keys may add to the operator’s log, and no function may read or change it', () => {
    const parts = accesses.flatMap(([entry]) => tablePart(entry).map((part) => ({ entry, ...part })));
    const patternsOf = ({ condition }: (typeof parts)[number]): string[] =>
      condition['ForAllValues:StringLike']['dynamodb:LeadingKeys'];
    const isOfLog = (pattern: string): boolean =>
      ['LOG#', 'LOG#ALL', 'LOG#AnyStoresId1'].some((key) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(key));
    const reaching = parts.filter((part) => patternsOf(part).some(isOfLog));

    expect(parts.flatMap(patternsOf).length).toBeGreaterThan(50);
    expect(reaching.map((part) => [part.entry, part.actions, patternsOf(part)])).toEqual([
      ['own-key', ['"dynamodb:PutItem"'], ['LOG#*']],
      ['keys', ['"dynamodb:PutItem"'], ['KEY#*', '*#KEYS', '*#KEYS#*', 'LOG#*']],
    ]);
  });

  test('the stream’s consumer may update history, days, events and sales, make rows of history, accounts of payees and payouts, read the first two, stores, webhooks, products, keys and names, and delete names of the search alone', () => {
    const [read, write, update, make, ...others] = tablePart('stream-consumer');

    expect(others).toEqual([]);
    expect(read?.actions).toEqual(['BatchGetItem', 'GetItem', 'Query'].map((one) => `"dynamodb:${one}"`));
    const keysOf = (kinds: string[]) => kinds.flatMap((kind) => [`*#${kind}`, `*#${kind}#*`]);
    const names = ['RESIDENT#*', 'NAME#*', ...keysOf(['STORE_RESIDENT'])];
    const reads = [
      'STORE#*',
      ...keysOf(['HISTORY', 'DAY', 'WEBHOOK', 'SALE', 'PAYEE', 'PRODUCT', 'STOCK', 'CUSTOMER']),
      ...names,
      'KEY#*',
      ...keysOf(['REMOVED']),
      ...keysOf(['CUSTOMER_NAME']),
    ];
    expect(write?.condition).toMatchObject({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keysOf(['CUSTOMER_NAME']) },
    });
    expect(read?.condition).toMatchObject({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': reads } });
    expect(make?.actions).toEqual(['"dynamodb:PutItem"']);
    expect(make?.condition).toMatchObject({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keysOf(['HISTORY', 'PAYEE', 'PAYOUT']) },
    });
    expect(update?.actions).toEqual(['"dynamodb:UpdateItem"']);
    const keys = keysOf(['HISTORY', 'DAY', 'EVENT', 'SALE']);
    expect(update?.condition).toMatchObject({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys } });
  });

  test('no reader may write, and no function may scan or reach every resource', () => {
    for (const [entry] of accesses) {
      const text = JSON.stringify(statementsOf(entry).filter(({ Sid }) => Sid !== 'ListStreams'));
      expect(text, entry).not.toMatch(/Scan|PartiQL|dynamodb:\*|"Resource":"\*"/);
    }
    // A list may change the items that say how much of the table its store has used.
    const reads = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['*#UNITS', '*#UNITS#*'] } };
    for (const row of routes.filter((one) => !one.servedBy && kindsWritten(one).length === 0)) {
      const [note, ...others] = tablePart(row.id).filter(({ sid }) => sid !== 'Read');
      expect(others, row.id).toEqual([]);
      if ('cursor' in row.query.shape)
        expect(note, row.id).toMatchObject({ actions: ['"dynamodb:UpdateItem"'], condition: reads });
      else expect(note, row.id).toBeUndefined();
      expect(JSON.stringify(tablePart(row.id).filter(({ sid }) => sid === 'Read')), row.id).not.toMatch(
        /Put|Update|Delete|Write|ConditionCheck/,
      );
    }
  });
});
