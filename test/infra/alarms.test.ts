import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { handler as consume } from '../../functions/stream-consumer.ts';
import { routes } from '../../lib/routes/routes.ts';
import { indexes, sharedKey } from '../../lib/table/schema.ts';
import { type Resource, templateOf } from '../support/stack.ts';

const { ofType, only } = templateOf();
const mailed = templateOf({ alarmEmail: 'owner@example.org' });
const alarms = ofType('AWS::CloudWatch::Alarm');

const alarmOf = (name: string): Resource => alarms.find(([id]) => id.startsWith(name))?.[1].Properties;

test('every alarm says what breaks for whom', () => {
  const names = alarms.map(([id]) => id.replace(/^Operation|[0-9A-F]{8}$/g, '')).sort();
  expect(names).toEqual([
    'CallsRefused',
    'CallsThrottled',
    'CustomerNotSwept',
    'DeadLetters',
    'DeliveriesUnclaimed',
    'DeliveryFailed',
    'DeliveryNotOrdered',
    'DeliveryWaiting',
    'DeskFlooded',
    'FunctionsThrottled',
    'HistoryBehind',
    'HistoryFailures',
    'HistoryLost',
    'HistoryStopped',
    'InvariantBroken',
    'Latency',
    'LookUpFailing',
    'ReadsThrottled',
    'ServerErrors',
    'SweepFailing',
    'SweepNotRun',
    'TableReads',
    'TableWrites',
    'WebhookDisabled',
    'WebhooksUnclaimed',
    'WorkerCrashing',
    'WorkerFailing',
    'WritesThrottled',
  ]);
  for (const [id, { Properties }] of alarms) expect(Properties.AlarmDescription, id).toMatch(/^[A-Z].{80,}\.$/);
});

test('an alarm sends an e-mail when it goes off and when it is over, if the settings hold an address', () => {
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

test('the topic takes messages from alarms of this account only, and only over TLS', () => {
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

test.each([
  ['SweepNotRun', 'expirysweep'],
  ['HistoryStopped', 'streamconsumer'],
])('%s goes off when nothing calls its function, of which Lambda then has no metric', (name, entry) => {
  const alarm = alarmOf(name);

  expect(alarm).toMatchObject({
    Namespace: 'AWS/Lambda',
    MetricName: 'Invocations',
    Threshold: 1,
    EvaluationPeriods: 3,
    TreatMissingData: 'breaching',
    ComparisonOperator: 'LessThanThreshold',
  });
  expect(alarm.Dimensions).toEqual([
    { Name: 'FunctionName', Value: { Ref: expect.stringMatching(`^${entry}Function`) } },
  ]);
});

test('only those alarms that watch for nothing going on take a missing metric for a fault', () => {
  const breaching = alarms.filter(([, { Properties }]) => Properties.TreatMissingData === 'breaching');

  expect(breaching.map(([id]) => id.replace(/[0-9A-F]{8}$/, '')).sort()).toEqual(['HistoryStopped', 'SweepNotRun']);
  for (const [id, { Properties }] of alarms)
    expect(Properties.ComparisonOperator, id).toBe(
      Properties.TreatMissingData === 'breaching' ? 'LessThanThreshold' : 'GreaterThanOrEqualToThreshold',
    );
});

test('the note of each sweep calls the stream’s consumer, which has nothing to do with it', async () => {
  const [[, mapping] = []] = ofType('AWS::Lambda::EventSourceMapping').filter(
    ([, { Properties }]) => Properties.StartingPosition,
  ) as [string, Resource][];
  const patterns = mapping?.Properties.FilterCriteria.Filters.map(({ Pattern }: Resource) => JSON.parse(Pattern));
  const keys = patterns.flatMap(({ dynamodb }: Resource) => dynamodb.Keys?.pk.S ?? []);
  const { pk } = sharedKey('SWEEP', 'last');

  const answer = await consume({ Records: [{ eventID: 'note', dynamodb: { Keys: { pk: { S: pk } }, NewImage: {} } }] });

  expect(keys.some(({ prefix }: { prefix?: string }) => prefix !== undefined && pk.startsWith(prefix))).toBe(true);
  expect(answer).toEqual({ batchItemFailures: [] });
});

test('HistoryLost counts what Lambda could not give to the consumer’s queue of failures', () => {
  const alarm = alarmOf('HistoryLost');

  expect(alarm).toMatchObject({ Namespace: 'AWS/Lambda', MetricName: 'DestinationDeliveryFailures', Threshold: 1 });
  expect(alarm.Dimensions).toEqual([
    { Name: 'FunctionName', Value: { Ref: expect.stringMatching(/^streamconsumerF/) } },
  ]);
});

test.each([
  ['ReadsThrottled', 'ReadThrottleEvents', []],
  ['WritesThrottled', 'WriteThrottleEvents', ['byText']],
  ['TableReads', 'ConsumedReadCapacityUnits', []],
  ['TableWrites', 'ConsumedWriteCapacityUnits', ['byText']],
])('%s watches the metric of the table and every index that may be the first at its bound', (name, metric, others) => {
  const parts: Resource[] = alarmOf(name).Metrics;

  const watched = parts.flatMap(({ Id, MetricStat }) => (MetricStat ? [{ Id, ...MetricStat.Metric }] : []));
  const places = watched.map(({ MetricName, Dimensions }) => {
    const index = Dimensions.find(({ Name }: Resource) => Name === 'GlobalSecondaryIndexName')?.Value;
    return `${MetricName} ${index ?? 'table'}`;
  });
  const expected = ['table', ...Object.keys(indexes)].filter((place) => !others.includes(place));
  expect(places.sort()).toEqual(expected.map((place) => `${metric} ${place}`).sort());
  for (const { Dimensions } of watched)
    expect(Dimensions).toContainEqual({ Name: 'TableName', Value: { Ref: expect.stringContaining('DataTable') } });
  // CloudWatch allows ten metrics in one alarm: a version may add an index.
  expect(watched.length).toBeLessThan(10);
});

test('DeliveriesUnclaimed watches the number of visible messages, and no alarm the age of the oldest', () => {
  const { Namespace, MetricName, Statistic, Dimensions } = alarmOf('DeliveriesUnclaimed');

  expect([Namespace, MetricName]).toEqual(['AWS/SQS', 'ApproximateNumberOfMessagesVisible']);
  // A running worker empties the queue within a minute, so the lowest number of five minutes is 0.
  expect(Statistic).toBe('Minimum');
  expect(Dimensions[0].Value['Fn::GetAtt'][0]).toMatch(/^DataDeliveries/);
  for (const [id, { Properties }] of alarms)
    expect(JSON.stringify(Properties), id).not.toContain('ApproximateAgeOfOldestMessage');
});

test('HistoryBehind watches the age of the records that the consumer gets, in milliseconds', () => {
  const alarm = alarmOf('HistoryBehind');

  expect(alarm).toMatchObject({ Namespace: 'AWS/Lambda', MetricName: 'IteratorAge', Statistic: 'Maximum' });
  expect(alarm.Dimensions[0].Value.Ref).toMatch(/^streamconsumerFunction/);
  expect(alarm.Threshold).toBe(5 * 60 * 1000);
});

test('HistoryFailures goes off with the first message in the queue of failures', () => {
  const alarm = alarmOf('HistoryFailures');

  expect(alarm).toMatchObject({ MetricName: 'ApproximateNumberOfMessagesVisible', Statistic: 'Maximum', Threshold: 1 });
  expect(alarm.Dimensions[0].Value['Fn::GetAtt'][0]).toMatch(/^DataHistoryFailures/);
});

test('WorkerCrashing counts the errors that Lambda reports of the worker', () => {
  const { Namespace, MetricName, Dimensions } = alarmOf('WorkerCrashing');

  expect([Namespace, MetricName]).toEqual(['AWS/Lambda', 'Errors']);
  expect(Dimensions[0].Value.Ref).toMatch(/^deliveryworkerFunction/);
});

test.each([
  ['CallsRefused', ['401', '403']],
  ['CallsThrottled', ['429']],
])('%s counts the answers %j in the access log, whose format it fits', (name, statuses) => {
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

test('DeskFlooded counts every call of the desk’s files in the access log, and there is none without the desk', () => {
  const alarm = alarmOf('DeskFlooded');
  const [filter] = ofType('AWS::Logs::MetricFilter').filter(
    ([, { Properties }]) => Properties.MetricTransformations[0].MetricName === alarm.MetricName,
  ) as [[string, Resource]];
  const { AccessLogSetting, MethodSettings } = only('AWS::ApiGateway::Stage');
  const limits: Resource[] = MethodSettings.filter(({ ResourcePath }: Resource) => ResourcePath.startsWith('/~1desk'));

  expect(filter[1].Properties.FilterPattern).toBe('{ $.route = "/desk*" }');
  expect(JSON.stringify(AccessLogSetting.DestinationArn)).toContain(filter[1].Properties.LogGroupName.Ref);
  expect(JSON.parse(AccessLogSetting.Format).route).toBe('$context.resourcePath');
  // A sixth of what one of its methods lets pass sets it off, and a hundred people who open the desk at once do not.
  expect(alarm.Period).toBe(300);
  for (const { ThrottlingRateLimit } of limits)
    expect(6 * alarm.Threshold).toBeLessThanOrEqual(ThrottlingRateLimit * 300);
  expect(alarm.Threshold).toBeGreaterThan(100 * 9);
  expect(templateOf({ desk: 'false' }).ofType('AWS::CloudWatch::Alarm')).toHaveLength(alarms.length - 1);
});

test('InvariantBroken counts log lines of every function that changes credit', () => {
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

/** The functions of CloudWatch's expressions that alarms use, for one period. Nothing that happened has no value. */
const functionsOf = (values: Record<string, number | undefined>) => ({
  FILL: (value: unknown, filler: number) =>
    Array.isArray(value) ? value.map((one) => one ?? filler) : (value ?? filler),
  IF: (holds: boolean, then: number, otherwise: number) => (holds ? then : otherwise),
  MAX: (all: number[]) => Math.max(...all),
  METRICS: () => Object.values(values),
  ...values,
});

/** True if an alarm is on where `countOf` says what CloudWatch counts in five minutes. */
const isOn = (alarm: Resource, countOf: (metric: string, index: string | undefined) => number | undefined): boolean => {
  const metricOf = ({ MetricName, Dimensions = [] }: Resource) =>
    countOf(MetricName, Dimensions.find(({ Name }: Resource) => Name === 'GlobalSecondaryIndexName')?.Value);
  if (!alarm.Metrics) return (metricOf(alarm) ?? 0) >= alarm.Threshold;
  const parts: Resource[] = alarm.Metrics;
  const values = Object.fromEntries(
    parts.flatMap(({ Id, MetricStat }) => (MetricStat ? [[Id, metricOf(MetricStat.Metric)]] : [])),
  );
  const names = functionsOf(values);
  const { Expression } = parts.find((part) => part.Expression) as Resource;
  return new Function(...Object.keys(names), `return ${Expression}`)(...Object.values(names)) >= alarm.Threshold;
};

/** The counts of 500 sales a second, each with its quote, in five minutes; one call in a thousand fails. */
const busy = (() => {
  const sales = 500 * 300;
  const [own, index] = [22.4 * sales, (12 * sales) / 3];
  const counts: Record<string, number> = {
    ...{ Count: 2 * sales, '5XXError': (2 * sales) / 1000, Invocations: 6 * sales, Throttles: (6 * sales) / 1000 },
  };
  return (metric: string, of: string | undefined): number | undefined => {
    if (metric === 'ConsumedWriteCapacityUnits') return of === undefined ? own : index;
    if (metric === 'ConsumedReadCapacityUnits') return of === undefined ? 14.2 * sales : undefined;
    // A thousand people open the desk for the first time within an hour.
    return metric.includes('DeskCalls') ? (5 * 1000) / 12 : counts[metric];
  };
})();

test('no alarm about rates is on while 500 sales a second go well, with bounds twice as high as they take', () => {
  const bounds = { readUnits: '15000', writeUnits: '25000' };
  const found = templateOf(bounds).ofType('AWS::CloudWatch::Alarm');
  const on = (id: string): boolean => isOn(found.find(([name]) => name.startsWith(id))?.[1].Properties, busy);

  const names = ['ServerErrors', 'FunctionsThrottled', 'TableReads', 'TableWrites', 'DeskFlooded'];
  expect(names.filter(on)).toEqual([]);
});

test('these alarms go off where one call in a hundred fails, and where half of a bound is used', () => {
  const onWith = (name: string, counts: Record<string, number>, place?: string): boolean =>
    isOn(alarmOf(name), (metric, index) => (place === index ? counts[metric] : undefined));

  expect(onWith('ServerErrors', { Count: 500, '5XXError': 5 })).toBe(true);
  expect(onWith('ServerErrors', { Count: 501, '5XXError': 5 })).toBe(false);
  // A quiet shop has one by chance.
  expect(onWith('ServerErrors', { Count: 4, '5XXError': 4 })).toBe(false);
  expect(onWith('ServerErrors', {})).toBe(false);
  expect(onWith('FunctionsThrottled', { Throttles: 5 })).toBe(true);
  for (const place of [undefined, 'byRank']) {
    expect(onWith('TableWrites', { ConsumedWriteCapacityUnits: 1000 * 300 }, place)).toBe(true);
    expect(onWith('TableWrites', { ConsumedWriteCapacityUnits: 999 * 300 }, place)).toBe(false);
    expect(onWith('TableReads', { ConsumedReadCapacityUnits: 2000 * 300 }, place)).toBe(true);
  }
  expect(alarmOf('TableWrites').AlarmDescription).toContain('That costs 2.25 dollars an hour.');
});

test('docs/operate/costs.md counts the alarms and their metrics, each of which AWS bills', () => {
  const page = readFileSync(new URL('../../docs/operate/costs.md', import.meta.url), 'utf8');
  const metrics = alarms.flatMap(([, { Properties }]) =>
    Properties.Metrics ? Properties.Metrics.filter(({ MetricStat }: Resource) => MetricStat) : [Properties],
  );

  expect(page).toContain(`| ${alarms.length} alarms on ${metrics.length} metrics`);
  expect(page).toContain(`${(metrics.length / 10).toFixed(2)} (the first ten are free)`);
});
