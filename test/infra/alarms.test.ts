import { expect, test } from 'vitest';
import { routes } from '../../lib/routes/routes.ts';
import { indexes } from '../../lib/table/table.ts';
import { makeStack, type Resource, templateOf } from '../support/stack.ts';

const alarmsOf = (settings: Record<string, unknown>) =>
  templateOf(makeStack(settings)).ofType('AWS::CloudWatch::Alarm');

test('cover what can break, each with a sentence on what breaks for whom', () => {
  const alarms = alarmsOf({});

  const names = alarms.map(([id]) => id.replace(/^Operation|[0-9A-F]{8}$/g, '')).sort();
  expect(names).toEqual([
    'CustomerNotSwept',
    'DeadLetters',
    'DeliveryFailed',
    'DeliveryWaiting',
    'FunctionsThrottled',
    'InvariantBroken',
    'Latency',
    'QueueAge',
    'ServerErrors',
    'SweepFailing',
    'SweepNotRun',
    'TableThrottled',
  ]);
  for (const [id, { Properties }] of alarms) expect(Properties.AlarmDescription, id).toMatch(/^[A-Z].{80,}\.$/);
});

test('are mailed to the address that is given, and to nobody without one', () => {
  const mailed = templateOf(makeStack({ alarmEmail: 'owner@example.org' }));

  expect(mailed.ofType('AWS::SNS::Subscription')[0]?.[1].Properties).toMatchObject({
    Protocol: 'email',
    Endpoint: 'owner@example.org',
  });
  for (const [, { Properties }] of mailed.ofType('AWS::CloudWatch::Alarm'))
    expect(Properties.AlarmActions).toHaveLength(1);
  for (const [, { Properties }] of alarmsOf({})) expect(Properties.AlarmActions).toBeUndefined();
});

test('may be published by the alarms of this account, and by nobody without TLS', () => {
  const mailed = templateOf(makeStack({ alarmEmail: 'owner@example.org' }));
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
  const [, alarm] = alarmsOf({}).find(([id]) => id.includes('SweepNotRun')) as [string, Resource];

  expect(alarm.Properties).toMatchObject({ TreatMissingData: 'breaching', ComparisonOperator: 'LessThanThreshold' });
});

test('throttling is heard of from the table and every index, in one sum', () => {
  const [, alarm] = alarmsOf({}).find(([id]) => id.includes('TableThrottled')) as [string, Resource];

  const parts: Resource[] = alarm.Properties.Metrics;
  const watched = parts.flatMap(({ Id, MetricStat }) => (MetricStat ? [{ Id, ...MetricStat.Metric }] : []));
  const places = watched.map(({ MetricName, Dimensions }) => {
    const index = Dimensions.find(({ Name }: Resource) => Name === 'GlobalSecondaryIndexName')?.Value;
    return `${MetricName} ${index ?? 'table'}`;
  });
  const expected = ['table', ...Object.keys(indexes)].flatMap((place) => [
    `ReadThrottleEvents ${place}`,
    `WriteThrottleEvents ${place}`,
  ]);
  expect(places.sort()).toEqual(expected.sort());
  for (const { Dimensions } of watched)
    expect(Dimensions).toContainEqual({ Name: 'TableName', Value: { Ref: expect.stringContaining('DataTable') } });
  const [sum] = parts.filter(({ Expression }) => Expression);
  expect(sum.Expression.split(' + ').sort()).toEqual(watched.map(({ Id }) => `FILL(${Id}, 0)`).sort());
  // CloudWatch takes no more metrics into one alarm.
  expect(watched.length).toBeLessThanOrEqual(10);
});

test('books that do not add up are heard of from every function that changes credit', () => {
  const { ofType } = templateOf(makeStack());
  const metricOf = (filter: Resource): Resource => filter.Properties.MetricTransformations[0];
  const heard = ofType('AWS::Logs::MetricFilter').filter(([, { Properties }]) =>
    Properties.FilterPattern.includes('$.invariant'),
  );
  const [, alarm] = alarmsOf({}).find(([id]) => id.includes('InvariantBroken')) as [string, Resource];

  const writers = ['expiry-sweep', ...routes.filter(({ writes }) => writes.includes('LOT')).map(({ id }) => id)];
  const names = heard.map(([, { Properties }]) => Properties.LogGroupName.Ref.replace(/Log[0-9A-F]{8}$/, ''));
  expect(names.sort()).toEqual(writers.map((id) => id.replaceAll(/[-/]/g, '')).sort());
  for (const [, filter] of heard) {
    expect(metricOf(filter).MetricName).toEqual(alarm.Properties.MetricName);
    expect(metricOf(filter).MetricNamespace).toBe(alarm.Properties.Namespace);
    expect(metricOf(filter).MetricValue).toBe('1');
  }
});
