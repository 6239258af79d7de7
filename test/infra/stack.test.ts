import { describe, expect, test } from 'vitest';
import {
  accessOf,
  authorizerPermissions,
  type Permission,
  permissions,
  sweepAccess,
  workerAccess,
} from '../../infra/permissions.ts';
import { deliveryQueue } from '../../lib/delivery/queue.ts';
import { kindsWritten, type Route } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { indexes, ttlAttribute } from '../../lib/store/table.ts';
import { makeStack, type Resource, templateOf } from '../support/stack.ts';

const { all, ofType, outputs } = templateOf(makeStack());

const only = (type: string): Resource => {
  const found = ofType(type);
  expect(found, type).toHaveLength(1);
  return found[0]?.[1].Properties;
};

/** The id of the resource that a reference in a template points to. */
const idOf = (reference: Resource): string => reference.Ref ?? reference['Fn::GetAtt'][0];
const refersTo = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/g)].map(([, id]) => String(id));

const functions = ofType('AWS::Lambda::Function');
const entryOf = (fn: Resource): string => fn.Properties.Code.ZipFile.replace('// ', '');
const functionOf = (entry: string): [string, Resource] => {
  const found = functions.filter(([, fn]) => entryOf(fn) === entry);
  expect(found, entry).toHaveLength(1);
  return found[0] as [string, Resource];
};

/** The path of each resource of the API, such as `/v1/coupons/{id}`. */
const pathOf = (id: string): string => {
  const { PathPart, ParentId } = all[id].Properties;
  return ParentId['Fn::GetAtt'] ? `/${PathPart}` : `${pathOf(ParentId.Ref)}/${PathPart}`;
};
const methods = ofType('AWS::ApiGateway::Method').map(([, { Properties }]) => ({
  ...Properties,
  route: `${Properties.HttpMethod} ${pathOf(Properties.ResourceId.Ref)}`,
}));
const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

describe.each(routes.map((row): [string, Route] => [row.id, row]))('%s', (_, row) => {
  test('has its method, behind the authorizer, before its own function', () => {
    const found = methods.filter(({ route }) => route === nameOf(row));

    expect(found).toHaveLength(1);
    const [method] = found;
    const [authorizerId] = ofType('AWS::ApiGateway::Authorizer')[0] ?? [];
    expect(method.AuthorizationType).toBe('CUSTOM');
    expect(method.AuthorizerId.Ref).toBe(authorizerId);
    expect(method.Integration).toMatchObject({ Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST' });
    expect(refersTo(method.Integration.Uri)).toContain(functionOf(row.id)[0]);
  });

  test('lets API Gateway call the function, by this method and path alone', () => {
    const [id] = functionOf(row.id);

    const grants = ofType('AWS::Lambda::Permission').filter(
      ([, { Properties }]) => idOf(Properties.FunctionName) === id,
    );

    expect(grants).toHaveLength(1);
    expect(grants[0]?.[1].Properties.Principal).toBe('apigateway.amazonaws.com');
    const path = row.path.replace(/\{[^}]+\}/g, '*');
    expect(JSON.stringify(grants[0]?.[1].Properties.SourceArn)).toContain(`/${row.method}${path}"`);
  });

  test('is throttled, lists before all others', () => {
    const settings = only('AWS::ApiGateway::Stage').MethodSettings;
    // In these names CloudFormation wants slashes as ~1.
    const path = `/${row.path.replaceAll('/', '~1')}`;

    const own = settings.filter((one: Resource) => one.HttpMethod === row.method && one.ResourcePath === path);

    const rate = 'cursor' in row.query.shape ? 20 : row.writes.length > 0 || row.queue ? 50 : 100;
    expect(own).toEqual([
      expect.objectContaining({ ThrottlingRateLimit: rate, ThrottlingBurstLimit: 2 * rate, DataTraceEnabled: false }),
    ]);
  });
});

test('has no method, function, role or permission beyond those of the table of routes', () => {
  const others = ['authorizer', 'delivery-worker', 'expiry-sweep'];

  expect(methods.map(({ route }) => route).sort()).toEqual(routes.map(nameOf).sort());
  expect(functions.map(([, fn]) => entryOf(fn)).sort()).toEqual([...routes.map(({ id }) => id), ...others].sort());
  // One for each function, and those of the schedule and of API Gateway's own log.
  expect(ofType('AWS::IAM::Role')).toHaveLength(functions.length + 2);
  expect(ofType('AWS::IAM::Policy')).toEqual([]);
  expect(ofType('AWS::Lambda::Permission')).toHaveLength(routes.length + 1);
});

test('stays under 400 resources, and under the limit of 500 with everything switched on', () => {
  const everything = makeStack({
    alarmEmail: 'owner@example.org',
    tracing: 'true',
    firewall: 'true',
    ownEncryptionKey: 'true',
    provisionedConcurrency: '1',
    domainName: 'api.example.org',
    certificateArn: 'arn:aws:acm:us-east-1:111111111111:certificate/1',
  });

  expect(Object.keys(all).length).toBeLessThan(400);
  expect(Object.keys(templateOf(everything).all).length).toBeLessThan(500);
});

describe('policies', () => {
  const [tableId] = ofType('AWS::DynamoDB::Table')[0] as [string, Resource];
  const tableArn = { 'Fn::GetAtt': [tableId, 'Arn'] };
  const indexArns = Object.keys(indexes).map((name) => ({ 'Fn::Join': ['', [tableArn, `/index/${name}`]] }));
  const queueArn = (name: string) => ({
    'Fn::GetAtt': [ofType('AWS::SQS::Queue').find(([id]) => id.includes(name))?.[0], 'Arn'],
  });
  // CDK writes lists in an order of its own.
  const asList = (value: unknown): string[] =>
    [value]
      .flat()
      .map((one) => JSON.stringify(one))
      .sort();

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
    resources: asList(names.length > 0 ? [tableArn, ...indexArns] : [tableArn]),
    condition: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    },
  });

  const tablePart = (entry: string) =>
    statementsOf(entry)
      .filter(({ Action }) => JSON.stringify(Action).includes('dynamodb:'))
      .map(({ Sid, Action, Resource, Condition }) => ({
        sid: Sid,
        actions: asList(Action),
        resources: asList(Resource),
        condition: Condition,
      }));

  const accesses: [string, Permission[]][] = [
    ...routes.map((row): [string, Permission[]] => [row.id, permissions(accessOf(row))]),
    ['authorizer', authorizerPermissions],
    ['delivery-worker', permissions(workerAccess)],
    ['expiry-sweep', permissions(sweepAccess)],
  ];

  test.each(accesses)('%s may do with the table what is declared, and no more', (entry, permitted) => {
    expect(tablePart(entry)).toEqual(permitted.map(expected));
  });

  test.each(accesses)('%s may write its own log, and send only where its row says so', (entry) => {
    const others = statementsOf(entry).filter(({ Action }) => !JSON.stringify(Action).includes('dynamodb:'));

    const row = routes.find(({ id }) => id === entry);
    const sends = row?.queue ? [{ Sid: 'Send', Action: 'sqs:SendMessage', Resource: queueArn('Deliveries') }] : [];
    const [log] = others.filter(({ Sid }) => Sid === 'Log');
    expect(log.Action).toEqual(['logs:CreateLogStream', 'logs:PutLogEvents']);
    expect(idOf(log.Resource)).toBe(idOf(functionOf(entry)[1].Properties.LoggingConfig.LogGroup));
    if (entry !== 'delivery-worker')
      expect(others.filter(({ Sid }) => Sid !== 'Log')).toEqual(sends.map((one) => ({ ...one, Effect: 'Allow' })));
  });

  test('no function that writes nothing may write, none may scan, and none may reach every resource', () => {
    for (const [entry] of accesses) {
      const text = JSON.stringify(statementsOf(entry));
      expect(text, entry).not.toMatch(/Scan|PartiQL|dynamodb:\*|"Resource":"\*"/);
    }
    for (const row of routes.filter((one) => kindsWritten(one).length === 0))
      expect(JSON.stringify(tablePart(row.id)), row.id).not.toMatch(/Put|Update|Delete|Write|ConditionCheck/);
  });
});

test('makes the table from the data that the code reads, and guards what is in it', () => {
  const [, table] = ofType('AWS::DynamoDB::Table')[0] as [string, Resource];

  expect(table).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  expect(table.Properties).toMatchObject({
    BillingMode: 'PAY_PER_REQUEST',
    DeletionProtectionEnabled: true,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    TimeToLiveSpecification: { AttributeName: ttlAttribute, Enabled: true },
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
  });
  // Encrypted all the same, with a key that AWS owns and bills nothing for.
  expect(table.Properties.SSESpecification).toEqual({ SSEEnabled: false });
  expect(
    table.Properties.GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }: Resource) => [
      IndexName,
      KeySchema.map(({ AttributeName }: Resource) => AttributeName),
      Projection.NonKeyAttributes ?? [],
    ]),
  ).toEqual(Object.entries(indexes).map(([name, { partition, sort, include }]) => [name, [partition, sort], include]));
});

test('uses a restored table where one is named, and leaves its own as it is', () => {
  const restored = templateOf(makeStack({ restoredTable: 'restored-table' }));

  const own = restored.ofType('AWS::DynamoDB::Table');
  expect(own).toEqual(ofType('AWS::DynamoDB::Table'));
  const [tableId = ''] = own[0] ?? [];
  for (const [id, { Properties }] of restored.ofType('AWS::Lambda::Function'))
    expect(Properties.Environment.Variables.TABLE_NAME, id).toBe('restored-table');
  for (const [id, role] of restored.ofType('AWS::IAM::Role')) expect(refersTo(role), id).not.toContain(tableId);
});

test('hides a delivery for six times the worker’s timeout, keeps it for 14 days, and reports failures one by one', () => {
  const [, queue] = ofType('AWS::SQS::Queue').find(([id]) => id.includes('Deliveries')) as [string, Resource];
  const [, worker] = functionOf('delivery-worker');
  const mapping = only('AWS::Lambda::EventSourceMapping');

  expect(queue.Properties).toMatchObject({
    VisibilityTimeout: 6 * worker.Properties.Timeout,
    MessageRetentionPeriod: 14 * 24 * 3600,
  });
  expect(queue.Properties.RedrivePolicy.maxReceiveCount).toBe(deliveryQueue.maxReceiveCount);
  expect(mapping).toMatchObject({
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    ScalingConfig: { MaximumConcurrency: 5 },
  });
});

test('sweeps every minute, and ends a sweep before the next begins', () => {
  const schedule = only('AWS::Scheduler::Schedule');
  const [, sweep] = functionOf('expiry-sweep');

  expect(schedule.ScheduleExpression).toBe('rate(1 minute)');
  expect(sweep.Properties.Timeout).toBeLessThan(60);
});

test('has neither the schedule nor Lambda try a sweep again', () => {
  const [sweepId] = functionOf('expiry-sweep');

  expect(only('AWS::Scheduler::Schedule').Target.RetryPolicy.MaximumRetryAttempts).toBe(0);
  expect(only('AWS::Lambda::EventInvokeConfig')).toMatchObject({
    FunctionName: { Ref: sweepId },
    Qualifier: '$LATEST',
    MaximumRetryAttempts: 0,
    MaximumEventAgeInSeconds: 60,
  });
});

test('makes the log of API Gateway’s own errors before the stage that writes it, so that it ends and goes too', () => {
  const [[apiId]] = ofType('AWS::ApiGateway::RestApi') as [[string, Resource]];
  const [[, stage]] = ofType('AWS::ApiGateway::Stage') as [[string, Resource]];
  const named = ofType('AWS::Logs::LogGroup').filter(([, { Properties }]) => Properties.LogGroupName);

  const name = { 'Fn::Join': ['', ['API-Gateway-Execution-Logs_', { Ref: apiId }, '/prod']] };
  expect(named).toMatchObject([
    [expect.any(String), { DeletionPolicy: 'Delete', Properties: { LogGroupName: name, RetentionInDays: 90 } }],
  ]);
  expect(stage.DependsOn).toContain(named[0]?.[0]);
  expect(stage.Properties.StageName).toBe('prod');
});

test('gives each function what it reads from its environment, and secrets only to those that need them', () => {
  const settings = templateOf(makeStack({ creditLimit: '5000', dispenserHostSuffixes: '.example.org' })).ofType(
    'AWS::Lambda::Function',
  );
  const namesIn = new Map(
    settings.map(([, fn]) => [entryOf(fn), Object.keys(fn.Properties.Environment.Variables).sort()]),
  );

  for (const row of routes)
    expect(namesIn.get(row.id), row.id).toEqual(
      [
        'TABLE_NAME',
        ...('cursor' in row.query.shape ? ['CURSOR_SECRET'] : []),
        ...(row.writes.includes('LOT') ? ['CREDIT_LIMIT'] : []),
        ...(row.queue ? ['DELIVERY_QUEUE_URL', 'DELIVERY_DLQ_URL', 'DISPENSER_HOST_SUFFIXES'] : []),
      ].sort(),
    );
});

test('runs on arm64 and Node 24, with a log that ends by itself', () => {
  for (const [, fn] of functions) {
    expect(fn.Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler' });
    expect(all[idOf(fn.Properties.LoggingConfig.LogGroup)].Properties.RetentionInDays).toBe(90);
  }
});

test('answers with the base URL, the next command, and what the operator’s command needs', () => {
  expect(Object.keys(outputs).sort()).toEqual([
    'AuthorizerTtlSeconds',
    'BaseUrl',
    'CreditLimit',
    'DeadLetterQueueUrl',
    'DeliveryQueueUrl',
    'NextCommand',
    'TableName',
  ]);
  const hosts = templateOf(makeStack({ dispenserHostSuffixes: '.example.org' })).outputs.DispenserHostSuffixes;
  expect(hosts.Value).toBe('.example.org');
  expect(outputs.NextCommand.Value).toBe('npx store create --stage prod');
});
