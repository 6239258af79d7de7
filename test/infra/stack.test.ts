import { expect, test } from 'vitest';
import { togetherOf } from '../../infra/permissions.ts';
import { deliveryQueue } from '../../lib/delivery/queue.ts';
import { functionFile as servingOf } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { indexes, ttlAttribute } from '../../lib/table/schema.ts';
import { entryOf, everythingOn, idOf, makeStack, type Resource, refersTo, templateOf } from '../support/stack.ts';

const { all, own, ofType, outputs, only, functionOf } = templateOf();
const functions = ofType('AWS::Lambda::Function');

test('is the main stack with three nested ones, of which each has nothing that lasts', () => {
  const nested = Object.entries(own).filter(([, { Type }]) => Type === 'AWS::CloudFormation::Stack');
  const lasting = Object.entries(all).filter(([, { DeletionPolicy }]) => DeletionPolicy === 'Retain');

  expect(nested.map(([id]) => /Limits|Operation|Permissions/.exec(id)?.[0]).sort()).toEqual([
    'Limits',
    'Operation',
    'Permissions',
  ]);
  expect(lasting.length).toBeGreaterThan(4);
  expect(lasting.filter(([id]) => !(id in own))).toEqual([]);
});

test('an update deploys the readers of messages, records and due items before the endpoints, which write them', () => {
  const readers = [
    ...['delivery-worker', 'stream-consumer', 'expiry-sweep'].map((entry) => functionOf(entry)[0]),
    ...ofType('AWS::Lambda::EventSourceMapping')
      .filter(([, { Properties }]) => 'StartingPosition' in Properties)
      .map(([id]) => id),
  ];
  const served = new Set<string>(routes.map(servingOf));
  const endpoints = functions.filter(([, fn]) => served.has(entryOf(fn)));

  expect([readers.length, endpoints.length]).toEqual([4, served.size]);
  for (const [, { DependsOn }] of endpoints) expect(DependsOn).toEqual(expect.arrayContaining(readers));
});

test('ends the function of an endpoint before the gateway stops waiting for its answer', () => {
  const gatewaySeconds = 29;
  const served = new Set<string>(routes.map(servingOf));
  const endpoints = functions.filter(([, fn]) => served.has(entryOf(fn)));

  expect(endpoints).toHaveLength(served.size);
  for (const [id, { Properties }] of endpoints) expect(Properties.Timeout, id).toBeLessThan(gatewaySeconds);
});

test('makes the table from the schema that the code reads, and protects its rows', () => {
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
  // DynamoDB still encrypts it, with a key that AWS owns and does not bill.
  expect(table.Properties.SSESpecification).toEqual({ SSEEnabled: false });
  expect(
    table.Properties.GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }: Resource) => [
      IndexName,
      KeySchema.map(({ AttributeName }: Resource) => AttributeName),
      Projection.NonKeyAttributes ?? [],
    ]),
  ).toEqual(Object.entries(indexes).map(([name, { partition, sort, include }]) => [name, [partition, sort], include]));
});

test('bounds what the table and each of its indexes may use in a second, by settings', () => {
  const tableOf = ({ ofType: of }: Pick<ReturnType<typeof templateOf>, 'ofType'>): Resource =>
    (of('AWS::DynamoDB::Table')[0] as [string, Resource])[1].Properties;
  const boundsOf = (table: Resource) =>
    [table, ...table.GlobalSecondaryIndexes].map(({ OnDemandThroughput }: Resource) => OnDemandThroughput);

  const initial = boundsOf(tableOf({ ofType }));
  const chosen = boundsOf(tableOf(templateOf({ readUnits: '10000', writeUnits: '5000' })));

  const places = 1 + Object.keys(indexes).length;
  expect(initial).toEqual(Array(places).fill({ MaxReadRequestUnits: 4_000, MaxWriteRequestUnits: 2_000 }));
  expect(chosen).toEqual(Array(places).fill({ MaxReadRequestUnits: 10_000, MaxWriteRequestUnits: 5_000 }));
});

test('tags all that AWS bills, so that a bill tells the deployments of an account apart', () => {
  const { all: everything } = templateOf({ ...everythingOn, stage: 'green' });
  // Some types have a map of tags, most a list.
  const tagsOf = ({ Properties: { Tags = [] } }: Resource): Record<string, string> =>
    Array.isArray(Tags) ? Object.fromEntries(Tags.map(({ Key, Value }) => [Key, Value])) : Tags;
  const untagged = Object.values(everything).filter(
    (one) => tagsOf(one).service !== 'store-integration' || tagsOf(one).stage !== 'green',
  );

  // These are parts of others, and take no tags.
  expect([...new Set(untagged.map(({ Type }) => Type))].sort()).toEqual([
    'AWS::ApiGateway::Account',
    'AWS::ApiGateway::BasePathMapping',
    'AWS::ApiGateway::Deployment',
    'AWS::ApiGateway::UsagePlanKey',
    'AWS::Lambda::EventInvokeConfig',
    'AWS::Lambda::Permission',
    'AWS::Logs::MetricFilter',
    'AWS::SNS::Subscription',
    'AWS::SNS::TopicPolicy',
    'AWS::SQS::QueuePolicy',
    'AWS::Scheduler::Schedule',
    'AWS::WAFv2::WebACLAssociation',
  ]);
});

test('refuses its own deletion', () => {
  expect(makeStack().terminationProtection).toBe(true);
});

test('uses a restored table where a setting names one, and leaves its own unchanged', () => {
  const stream = 'arn:aws:dynamodb:eu-west-1:111111111111:table/restored-table/stream/2026-01-31T12:00:00.000';
  const restored = templateOf({ restoredTable: 'restored-table', restoredStream: stream });

  const own = restored.ofType('AWS::DynamoDB::Table');
  expect(own).toEqual(ofType('AWS::DynamoDB::Table'));
  const [tableId = ''] = own[0] ?? [];
  for (const [id, { Properties }] of restored.ofType('AWS::Lambda::Function'))
    expect(Properties.Environment.Variables.TABLE_NAME, id).toBe('restored-table');
  for (const [id, role] of restored.ofType('AWS::IAM::Role')) expect(refersTo(role), id).not.toContain(tableId);
});

test.each(['Deliveries', 'SlowDeliveries'])(
  '%s hides a message for six times the worker’s timeout, keeps it for 14 days, and reports failures one by one',
  (name) => {
    const queues = ofType('AWS::SQS::Queue');
    const [queueId, queue] = queues.find(([id]) => id.startsWith(`Data${name}`)) as [string, Resource];
    const [, worker] = functionOf('delivery-worker');
    const mapping = ofType('AWS::Lambda::EventSourceMapping').find(
      ([, { Properties }]) => idOf(Properties.EventSourceArn) === queueId,
    )?.[1].Properties;

    expect(queue.Properties).toMatchObject({
      VisibilityTimeout: 6 * worker.Properties.Timeout,
      MessageRetentionPeriod: 14 * 24 * 3600,
    });
    expect(queue.Properties.RedrivePolicy.maxReceiveCount).toBe(deliveryQueue.maxReceiveCount);
    expect(refersTo(mapping?.FunctionName)).toContain(functionOf('delivery-worker')[0]);
    expect(mapping).toMatchObject({
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      // A new account runs ten functions at once, and callers need the others.
      ScalingConfig: { MaximumConcurrency: 2 },
    });
  },
);

test('tells the worker how long to keep deliveries and their notes', () => {
  const variablesWith = (settings: Record<string, string>) => {
    const functions = templateOf(settings).ofType('AWS::Lambda::Function');
    return functions.find(([, fn]) => entryOf(fn) === 'delivery-worker')?.[1].Properties.Environment.Variables;
  };

  expect(variablesWith({})).toMatchObject({ DELIVERY_RECORD_DAYS: '90' });
  expect(variablesWith({})).not.toHaveProperty('DELIVERY_NOTES');
  expect(variablesWith({ deliveryRecordDays: '30', keepDeliveryNotes: 'true' })).toMatchObject({
    DELIVERY_RECORD_DAYS: '30',
    DELIVERY_NOTES: 'kept',
  });
});

test('allows recursion for each function from which queues and calls lead back to it, and for no other', () => {
  // Lambda's detection follows queues and calls of functions. It does not follow the stream of a table.
  const nextOf = new Map<string, string[]>();
  for (const [, { Properties }] of ofType('AWS::Lambda::EventSourceMapping'))
    if (!Properties.StartingPosition) nextOf.set(idOf(Properties.EventSourceArn), [idOf(Properties.FunctionName)]);
  for (const [id, { Properties }] of functions) {
    const { PolicyDocument } = all[idOf(Properties.Role)].Properties.Policies[0];
    const onward = PolicyDocument.Statement.filter(({ Action }: Resource) =>
      [Action].flat().some((action) => ['sqs:SendMessage', 'lambda:InvokeFunction'].includes(action)),
    );
    nextOf.set(id, refersTo(onward));
  }
  const reachedFrom = (id: string): Set<string> => {
    const reached = new Set(nextOf.get(id));
    // A set hands out what is added to it meanwhile, too.
    for (const one of reached) for (const next of nextOf.get(one) ?? []) reached.add(next);
    return reached;
  };

  const loops = functions.filter(([id]) => reachedFrom(id).has(id)).map(([, fn]) => entryOf(fn));
  const allowed = functions
    .filter(([, { Properties }]) => Properties.RecursiveLoop === 'Allow')
    .map(([, fn]) => entryOf(fn));
  expect(loops).toEqual(['delivery-worker']);
  expect(allowed).toEqual(loops);
});

test('sweeps every minute, and ends a sweep before the next begins', () => {
  const schedule = only('AWS::Scheduler::Schedule');
  const [, sweep] = functionOf('expiry-sweep');

  expect(schedule.ScheduleExpression).toBe('rate(1 minute)');
  expect(sweep.Properties.Timeout).toBeLessThan(60);
});

test('neither the schedule nor Lambda retries a sweep', () => {
  const [sweepId] = functionOf('expiry-sweep');

  expect(only('AWS::Scheduler::Schedule').Target.RetryPolicy.MaximumRetryAttempts).toBe(0);
  expect(only('AWS::Lambda::EventInvokeConfig')).toMatchObject({
    FunctionName: { Ref: sweepId },
    Qualifier: '$LATEST',
    MaximumRetryAttempts: 0,
    MaximumEventAgeInSeconds: 60,
  });
});

test('makes the log of API Gateway’s errors before the stage, so that it has a retention and goes with the stack', () => {
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

test('gives each function the variables that it reads, and secrets only where they are needed', () => {
  const settings = templateOf({ creditLimit: '5000', dispenserHostSuffixes: '.example.org' }).ofType(
    'AWS::Lambda::Function',
  );
  const namesIn = new Map(
    settings.map(([, fn]) => [entryOf(fn), Object.keys(fn.Properties.Environment.Variables).sort()]),
  );

  for (const [entry, rows] of Map.groupBy(routes, servingOf)) {
    const row = togetherOf(rows);
    expect(namesIn.get(entry), entry).toEqual(
      [
        'TABLE_NAME',
        ...('cursor' in row.query.shape || rows.some((one) => one.quotes || one.showsSecret) ? ['CURSOR_SECRET'] : []),
        ...('cursor' in row.query.shape || rows.some(({ share }) => share === 'pages') ? ['STORE_READ_UNITS'] : []),
        ...(row.writes.length > 0 ? ['STORE_WRITE_UNITS'] : []),
        ...(row.writes.includes('LOT') ? ['CREDIT_LIMIT'] : []),
        ...(row.writes.includes('DELIVERY') ? ['DELIVERY_RECORD_DAYS'] : []),
        ...(row.resolves ? ['RESIDENT_LOOKUP_URL'] : []),
        ...(row.queue ? ['DELIVERY_QUEUE_URL', 'DELIVERY_DLQ_URL'] : []),
        ...(row.queue || row.writes.includes('VENDOR') ? ['DISPENSER_HOST_SUFFIXES'] : []),
      ].sort(),
    );
  }
});

test('runs on arm64 and Node 24, with a log that has a retention', () => {
  for (const [, fn] of functions) {
    expect(fn.Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler' });
    expect(all[idOf(fn.Properties.LoggingConfig.LogGroup)].Properties.RetentionInDays).toBe(90);
  }
});

test('has outputs for the base URL, the next command and the operator’s command', () => {
  expect(Object.keys(outputs).sort()).toEqual([
    'AuthorizerTtlSeconds',
    'BaseUrl',
    'CreditLimit',
    'DeadLetterQueueUrl',
    'DeliveryQueueUrl',
    'DeskUrl',
    'HistoryFailuresUrl',
    'NextCommand',
    'SlowQueueUrl',
    'TableName',
    'Version',
  ]);
  const { AlarmTopic } = templateOf({ alarmEmail: 'owner@example.org' }).outputs;
  expect(AlarmTopic.Value['Fn::GetAtt'].join()).toMatch(/^Operation.*,Outputs\..*Topic/);
  const hosts = templateOf({ dispenserHostSuffixes: '.example.org' }).outputs.DispenserHostSuffixes;
  expect(hosts.Value).toBe('.example.org');
  const { outputs: logged, functionOf: loggedBy } = templateOf({ operatorLogDays: 400 });
  expect(logged.OperatorLogDays.Value).toBe('400');
  // The function that ends a key adds to the log, as the command does.
  expect(loggedBy('own-key')[1].Properties.Environment.Variables.OPERATOR_LOG_DAYS).toBe('400');
  expect(outputs.NextCommand.Value).toBe('npx store create --stage prod --preset all');
});
