import { expect, test } from 'vitest';
import { routes } from '../../lib/routes/routes.ts';
import { indexes } from '../../lib/table/schema.ts';
import { type Resource, templateOf } from '../support/stack.ts';

const { ofType } = templateOf();
const mailed = templateOf({ alarmEmail: 'owner@example.org' });
const alarms = ofType('AWS::CloudWatch::Alarm');

const alarmOf = (name: string): Resource => alarms.find(([id]) => id.startsWith(`Operation${name}`))?.[1].Properties;

test('cover what can break, each with a sentence on what breaks for whom', () => {
  const names = alarms.map(([id]) => id.replace(/^Operation|[0-9A-F]{8}$/g, '')).sort();
  expect(names).toEqual([
    'CallsRefused',
    'CallsThrottled',
    'CustomerNotSwept',
    'DeadLetters',
    'DeliveriesNotTakenUp',
    'DeliveryFailed',
    'DeliveryWaiting',
    'FunctionsThrottled',
    'InvariantBroken',
    'Latency',
    'ServerErrors',
    'SweepFailing',
    'SweepNotRun',
    'TableReads',
    'TableThrottled',
    'TableWrites',
    'WorkerCrashing',
    'WorkerFailing',
  ]);
  for (const [id, { Properties }] of alarms) expect(Properties.AlarmDescription, id).toMatch(/^[A-Z].{80,}\.$/);
});

test('are mailed to the address that is given when they go off and when all is well again, and to nobody without one', () => {
  expect(mailed.ofType('AWS::SNS::Subscription')[0]?.[1].Properties).toMatchObject({
    Protocol: 'email',
    Endpoint: 'owner@example.org',
  });
  for (const [id, { Properties }] of mailed.ofType('AWS::CloudWatch::Alarm')) {
    expect(Properties.AlarmActions, id).toHaveLength(1);
    expect(Properties.OKActions, id).toEqual(Properties.AlarmActions);
  }
  for (const [, { Properties }] of alarms) {
    expect(Properties.AlarmActions).toBeUndefined();
    expect(Properties.OKActions).toBeUndefined();
  }
});

test('may be published by the alarms of this account, and by nobody without TLS', () => {
  const [[topicId = ''] = []] = mailed.ofType('AWS::SNS::Topic');
  const [[, policy] = []] = mailed.ofType('AWS::SNS::TopicPolicy') as [string, Resource][];

  const statements: Resource[] = policy.Properties.PolicyDocument.Statement;
  expect(policy.Properties.Topics).toEqual([{ Ref: topicId }]);
  expect(statements.filter(({ Effect }) => Effect === 'Allow')).toEqual([
    {
      Sid: 'Alarms',
      Effect: 'Allow',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Action: 'sns:Publish',
      Resource: { Ref: topicId },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    },
  ]);
  expect(statements.filter(({ Effect }) => Effect === 'Deny')).toMatchObject([
    { Action: 'sns:Publish', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
  ]);
});

test('go off when the sweep is silent', () => {
  expect(alarmOf('SweepNotRun')).toMatchObject({
    TreatMissingData: 'breaching',
    ComparisonOperator: 'LessThanThreshold',
  });
});

test.each([
  ['TableThrottled', ['ReadThrottleEvents', 'WriteThrottleEvents']],
  ['TableReads', ['ConsumedReadCapacityUnits']],
  ['TableWrites', ['ConsumedWriteCapacityUnits']],
])('%s is heard of from the table and every index, in one sum', (name, metrics) => {
  const parts: Resource[] = alarmOf(name).Metrics;

  const watched = parts.flatMap(({ Id, MetricStat }) => (MetricStat ? [{ Id, ...MetricStat.Metric }] : []));
  const places = watched.map(({ MetricName, Dimensions }) => {
    const index = Dimensions.find(({ Name }: Resource) => Name === 'GlobalSecondaryIndexName')?.Value;
    return `${MetricName} ${index ?? 'table'}`;
  });
  const expected = ['table', ...Object.keys(indexes)].flatMap((place) => metrics.map((metric) => `${metric} ${place}`));
  expect(places.sort()).toEqual(expected.sort());
  for (const { Dimensions } of watched)
    expect(Dimensions).toContainEqual({ Name: 'TableName', Value: { Ref: expect.stringContaining('DataTable') } });
  const [sum] = parts.filter(({ Expression }) => Expression);
  expect(sum.Expression.split(' + ').sort()).toEqual(watched.map(({ Id }) => `FILL(${Id}, 0)`).sort());
  // CloudWatch takes no more metrics into one alarm.
  expect(watched.length).toBeLessThanOrEqual(10);
});

test('DeliveriesNotTakenUp counts the messages that no worker holds, since their age leaves out what was received thrice', () => {
  const { Namespace, MetricName, Statistic, Dimensions } = alarmOf('DeliveriesNotTakenUp');

  expect([Namespace, MetricName]).toEqual(['AWS/SQS', 'ApproximateNumberOfMessagesVisible']);
  // The queue is emptied within a minute as long as the worker runs: its lowest point tells.
  expect(Statistic).toBe('Minimum');
  expect(Dimensions[0].Value['Fn::GetAtt'][0]).toMatch(/^DataDeliveries/);
  for (const [id, { Properties }] of alarms)
    expect(JSON.stringify(Properties), id).not.toContain('ApproximateAgeOfOldestMessage');
});

test('a worker that dies or runs out of time is heard of by its errors', () => {
  const { Namespace, MetricName, Dimensions } = alarmOf('WorkerCrashing');

  expect([Namespace, MetricName]).toEqual(['AWS/Lambda', 'Errors']);
  expect(Dimensions[0].Value.Ref).toMatch(/^deliveryworkerFunction/);
});

test.each([
  ['CallsRefused', ['401', '403']],
  ['CallsThrottled', ['429']],
])('%s counts answers of %j in the access log, as the log writes them', (name, statuses) => {
  const [, stage] = ofType('AWS::ApiGateway::Stage')[0] as [string, Resource];
  const filters = ofType('AWS::Logs::MetricFilter').filter(
    ([, { Properties }]) => Properties.MetricTransformations[0].MetricName === alarmOf(name).MetricName,
  );

  expect(filters).toHaveLength(1);
  const [[, { Properties }]] = filters as [[string, Resource]];
  const counted = statuses.map((status) => `($.status = "${status}")`).join(' || ');
  expect(Properties.FilterPattern).toBe(`{ ${counted} }`);
  expect(JSON.stringify(stage.Properties.AccessLogSetting.DestinationArn)).toContain(Properties.LogGroupName.Ref);
  expect(JSON.parse(stage.Properties.AccessLogSetting.Format).status).toBe('$context.status');
});

test('books that do not add up are heard of from every function that changes credit', () => {
  const metricOf = (filter: Resource): Resource => filter.Properties.MetricTransformations[0];
  const heard = ofType('AWS::Logs::MetricFilter').filter(([, { Properties }]) =>
    Properties.FilterPattern.includes('$.invariant'),
  );
  const alarm = alarmOf('InvariantBroken');

  const writers = ['expiry-sweep', ...routes.filter(({ writes }) => writes.includes('LOT')).map(({ id }) => id)];
  const names = heard.map(([, { Properties }]) => Properties.LogGroupName.Ref.replace(/Log[0-9A-F]{8}$/, ''));
  expect(names.sort()).toEqual(writers.map((id) => id.replaceAll(/[-/]/g, '')).sort());
  for (const [, filter] of heard) {
    expect(metricOf(filter).MetricName).toEqual(alarm.MetricName);
    expect(metricOf(filter).MetricNamespace).toBe(alarm.Namespace);
    expect(metricOf(filter).MetricValue).toBe('1');
  }
});
