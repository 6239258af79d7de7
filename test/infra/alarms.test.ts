import { expect, test } from 'vitest';
import { handler as consume } from '../../functions/stream-consumer.ts';
import { ServiceFunction } from '../../infra/service-function.ts';
import { settingNames } from '../../infra/settings.ts';
import { functionFile } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { sharedKey } from '../../lib/table/keys.ts';
import { indexes } from '../../lib/table/schema.ts';
import { metricsOf } from '../support/idle-cost.ts';
import { entryOf, everythingOn, makeStack, type Resource, refersTo, templateOf, textOf } from '../support/stack.ts';
import { shardBatch } from '../support/stream-records.ts';

const { ofType, only } = templateOf();
const mailed = templateOf({ alarmEmail: 'owner@example.org' });
const alarms = ofType('AWS::CloudWatch::Alarm');

const alarmOf = (name: string): Resource => alarms.find(([id]) => id.startsWith(name))?.[1].Properties;

test('every alarm watches one metric, and says what breaks for whom and what to do', () => {
  const names = alarms.map(([id]) => id.replace(/^Operation|[0-9A-F]{8}$/g, '')).sort();
  expect(names).toEqual([
    'CallsRefused',
    'DeadLetters',
    'DeliveriesUnclaimed',
    'DeliveryWaiting',
    'DeskFlooded',
    'GivenUp',
    'HistoryBehind',
    'HistoryFailures',
    'InvariantBroken',
    'LookUpFailing',
    'SearchReads',
    'ServerErrors',
    'SweepFailing',
    'SweepNotRun',
    'TableReads',
    'TableWrites',
    'WorkerCrashing',
    'WorkerFailing',
  ]);
  for (const [id, { Properties }] of [...alarms, ...templateOf(everythingOn).ofType('AWS::CloudWatch::Alarm')]) {
    const text = textOf(Properties.AlarmDescription);
    expect(text, id).toMatch(/^[A-Z].{60,}\. What to do: \S.{20,}\.(?: The log: https:\S+)?$/);
    // CloudWatch takes no more.
    expect(text.length, id).toBeLessThanOrEqual(1024);
    // It speaks of a log exactly where it leads to one.
    expect(/\b[Tt]he (?:end of the )?log shows/.test(text), id).toBe(text.includes(' The log: '));
    expect(metricsOf({ Properties }), id).toHaveLength(1);
  }
});

test('the text of an alarm begins with the harm of each function', () => {
  const functions = makeStack(everythingOn)
    .node.findAll()
    .filter((construct) => construct instanceof ServiceFunction);
  const texts = templateOf(everythingOn)
    .ofType('AWS::CloudWatch::Alarm')
    .map(([, { Properties }]) => textOf(Properties.AlarmDescription));

  expect(functions.length).toBeGreaterThan(30);
  for (const { harm, node } of functions)
    expect(
      texts.some((text) => text.startsWith(`${harm} `)),
      node.id,
    ).toBe(true);
});

test('a text that speaks of a log ends with a link to its lines in the console', () => {
  const { ofType: all } = templateOf(everythingOn);
  const writerOf = (log: string): string => {
    const [writer] = all('AWS::Lambda::Function').filter(([, fn]) => refersTo(fn.Properties).includes(log));
    return writer ? entryOf(writer[1]) : log.replace(/[0-9A-F]{8}$/, '');
  };
  const links = all('AWS::CloudWatch::Alarm').flatMap(([id, { Properties }]) => {
    const [, log, lines] =
      /log-group\/store-integration-\w+-(\w+)-\w+\/(.*)$/.exec(textOf(Properties.AlarmDescription)) ?? [];
    if (log === undefined || lines === undefined) return [];
    const shown = decodeURIComponent(decodeURIComponent(lines.replaceAll('$', '%')));
    return [`${id.replace(/[0-9A-F]{8}$/, '')}: ${writerOf(log)} ${shown}`];
  });

  expect(links.sort()).toEqual([
    'CallsRefused: ApiAccessLog log-events?filterPattern={ $.status = "4*" }&start=-10800000',
    'EventBusBehind: event-bus log-events?filterPattern=ERROR&start=-10800000',
    'EventBusRefused: event-bus log-events?filterPattern=refused&start=-10800000',
    'HistoryBehind: stream-consumer log-events?filterPattern=ERROR&start=-10800000',
    'HistoryFailures: stream-consumer log-events?filterPattern=ERROR&start=-10800000',
    'IncrementsMissing: table-export log-events?filterPattern=ERROR&start=-10800000',
    'LookUpFailing: resident-lookup log-events?filterPattern=ERROR&start=-10800000',
    'SearchReads: ApiAccessLog log-events?start=-10800000',
    'ServerErrors: ApiAccessLog log-events?filterPattern={ $.status = "5*" }&start=-10800000',
    'SweepFailing: expiry-sweep log-events?filterPattern=ERROR&start=-10800000',
    'TableReads: ApiAccessLog log-events?start=-10800000',
    'TableWrites: ApiAccessLog log-events?start=-10800000',
    'WorkerCrashing: delivery-worker log-events?start=-10800000',
    'WorkerFailing: delivery-worker log-events?filterPattern=ERROR&start=-10800000',
  ]);
});

test('the texts name settings and alarms that there are', () => {
  const texts = alarms
    .map(([, { Properties }]) => textOf(Properties.AlarmDescription).replace(/ The log: .*/, ''))
    .join(' ');
  const names = new Set<string>([...settingNames, ...alarms.map(([id]) => id.replace(/^Operation|[0-9A-F]{8}$/g, ''))]);

  const named = texts.match(/\b[a-z]+[A-Z][A-Za-z]+|\b[A-Z][a-z]+(?:[A-Z][a-z]+)+/g) ?? [];

  // The names of AWS's own.
  for (const own of ['EventBridge', 'DynamoDB']) names.add(own);
  expect(named.filter((name: string) => !names.has(name))).toEqual([]);
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

test('SweepNotRun goes off when nothing calls the sweep, of which Lambda then has no metric', () => {
  const alarm = alarmOf('SweepNotRun');

  expect(alarm).toMatchObject({
    Namespace: 'AWS/Lambda',
    MetricName: 'Invocations',
    Threshold: 1,
    EvaluationPeriods: 3,
    TreatMissingData: 'breaching',
    ComparisonOperator: 'LessThanThreshold',
  });
  expect(alarm.Dimensions).toEqual([
    { Name: 'FunctionName', Value: { Ref: expect.stringMatching(/^expirysweepFunction/) } },
  ]);
});

test('only those alarms that watch for nothing going on take a missing metric for a fault', () => {
  const breaching = alarms.filter(([, { Properties }]) => Properties.TreatMissingData === 'breaching');

  expect(breaching.map(([id]) => id.replace(/[0-9A-F]{8}$/, '')).sort()).toEqual(['HistoryBehind', 'SweepNotRun']);
  for (const [id, { Properties }] of alarms)
    expect(Properties.ComparisonOperator, id).toBe(
      id.startsWith('SweepNotRun') ? 'LessThanThreshold' : 'GreaterThanOrEqualToThreshold',
    );
});

test('the note of each sweep calls the stream’s consumer, which has nothing to do with it', async () => {
  const [[, mapping] = []] = ofType('AWS::Lambda::EventSourceMapping').filter(
    ([, { Properties }]) => Properties.StartingPosition,
  ) as [string, Resource][];
  const patterns = mapping?.Properties.FilterCriteria.Filters.map(({ Pattern }: Resource) => JSON.parse(Pattern));
  const keys = patterns.flatMap(({ dynamodb }: Resource) => dynamodb.Keys?.pk.S ?? []);
  const { pk } = sharedKey('SWEEP', 'last');

  const answer = await consume(shardBatch([{ eventID: 'note', dynamodb: { Keys: { pk: { S: pk } }, NewImage: {} } }]));

  expect(keys.some(({ prefix }: { prefix?: string }) => prefix !== undefined && pk.startsWith(prefix))).toBe(true);
  expect(answer).toEqual({ batchItemFailures: [], state: {} });
});

test.each([
  ['TableReads', 'ConsumedReadCapacityUnits', undefined, 2000],
  ['SearchReads', 'ConsumedReadCapacityUnits', 'byText', 2000],
  ['TableWrites', 'ConsumedWriteCapacityUnits', undefined, 1000],
])('%s watches %s of its place, and goes off at half of the bound', (name, metric, index, half) => {
  const { Namespace, MetricName, Dimensions, Threshold, Statistic, Period } = alarmOf(name);

  expect([Namespace, MetricName, Statistic, Period]).toEqual(['AWS/DynamoDB', metric, 'Sum', 300]);
  const places = Object.fromEntries(Dimensions.map(({ Name, Value }: Resource) => [Name, Value]));
  expect(places.GlobalSecondaryIndexName).toBe(index);
  expect(places.TableName).toEqual({ Ref: expect.stringContaining('DataTable') });
  expect(Threshold).toBe(half * 300);
});

test('only the index of searches holds more than keys, so that all others are read to load rows of the table', () => {
  const wide = Object.entries(indexes).flatMap(([name, { include }]) => (include.length > 0 ? [name] : []));

  expect(wide).toEqual(['byText']);
});

test('there is a dashboard where the settings ask for one, with the metrics of each index', () => {
  const withOne = templateOf({ dashboard: 'true' });
  const body = JSON.stringify(withOne.only('AWS::CloudWatch::Dashboard').DashboardBody);

  expect(ofType('AWS::CloudWatch::Dashboard')).toEqual([]);
  for (const name of Object.keys(indexes))
    expect(body.match(new RegExp(`GlobalSecondaryIndexName\\\\",\\\\"${name}`, 'g')), name).not.toBeNull();
  expect(withOne.ofType('AWS::CloudWatch::Alarm')).toHaveLength(alarms.length);
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
  // Lambda has no such metric of a function that it does not call.
  expect(alarm).toMatchObject({ TreatMissingData: 'breaching', EvaluationPeriods: 3 });
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

test('CallsRefused counts the answers 401, 403 and 429 in the access log, whose format it fits', () => {
  const [, stage] = ofType('AWS::ApiGateway::Stage')[0] as [string, Resource];
  const filters = ofType('AWS::Logs::MetricFilter').filter(
    ([, { Properties }]) => Properties.MetricTransformations[0].MetricName === alarmOf('CallsRefused').MetricName,
  );

  expect(filters).toHaveLength(1);
  const [[, { Properties }]] = filters as [[string, Resource]];
  expect(Properties.FilterPattern).toBe('{ ($.status = "401") || ($.status = "403") || ($.status = "429") }');
  expect(JSON.stringify(stage.Properties.AccessLogSetting.DestinationArn)).toContain(Properties.LogGroupName.Ref);
  expect(JSON.parse(stage.Properties.AccessLogSetting.Format).status).toBe('$context.status');
});

test('DeskFlooded counts every call of the desk’s and the customer’s page’s files in the access log, and there is none without the desk', () => {
  const alarm = alarmOf('DeskFlooded');
  const [filter] = ofType('AWS::Logs::MetricFilter').filter(
    ([, { Properties }]) => Properties.MetricTransformations[0].MetricName === alarm.MetricName,
  ) as [[string, Resource]];
  const { AccessLogSetting, MethodSettings } = only('AWS::ApiGateway::Stage');
  const limits: Resource[] = MethodSettings.filter(({ ResourcePath }: Resource) => ResourcePath.startsWith('/~1desk'));

  expect(filter[1].Properties.FilterPattern).toBe('{ ($.route = "/desk*") || ($.route = "/me") }');
  expect(JSON.stringify(AccessLogSetting.DestinationArn)).toContain(filter[1].Properties.LogGroupName.Ref);
  expect(JSON.parse(AccessLogSetting.Format).route).toBe('$context.resourcePath');
  // A sixth of what one method of the desk lets pass sets it off. A hundred people who open the desk at once do not.
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

  const writers = ['expiry-sweep', ...routes.filter(({ writes }) => writes.includes('LOT')).map(functionFile)];
  const names = heard.map(([, { Properties }]) => Properties.LogGroupName.Ref.replace(/Log[0-9A-F]{8}$/, ''));
  expect(names.sort()).toEqual(writers.map((id) => id.replaceAll(/[-/]/g, '')).sort());
  for (const [, filter] of heard) {
    expect(metricOf(filter).MetricName).toEqual(alarm.MetricName);
    expect(metricOf(filter).MetricNamespace).toBe(alarm.Namespace);
    expect(metricOf(filter).MetricValue).toBe('1');
  }
});

/** True if an alarm is on after periods of five minutes in which CloudWatch has these values of its metric. */
const isOn = (
  { Threshold, EvaluationPeriods, DatapointsToAlarm, ...alarm }: Resource,
  values: (number | undefined)[],
) => {
  const isOver = (value: number | undefined): boolean =>
    value === undefined
      ? alarm.TreatMissingData === 'breaching'
      : alarm.ComparisonOperator === 'LessThanThreshold'
        ? value < Threshold
        : value >= Threshold;
  return values.slice(-EvaluationPeriods).filter(isOver).length >= (DatapointsToAlarm ?? EvaluationPeriods);
};

/**
 * The values that CloudWatch has of the metric of an alarm, in five minutes of 500 sales a second, each with its quote.
 */
const busy = ({ MetricName, Dimensions = [] }: Resource): number => {
  const sales = 500 * 300;
  const isIndex = Dimensions.some(({ Name }: Resource) => Name === 'GlobalSecondaryIndexName');
  if (MetricName === 'ConsumedWriteCapacityUnits') return 22.4 * sales;
  if (MetricName === 'ConsumedReadCapacityUnits') return isIndex ? 0 : 14.2 * sales;
  // One call in a thousand fails. A thousand people open the desk for the first time within an hour.
  return MetricName === '5XXError' ? 0.001 : MetricName.includes('DeskCalls') ? (5 * 1000) / 12 : 0;
};

test('no alarm about rates is on while 500 sales a second go well, with bounds twice as high as they take', () => {
  const bounds = { readUnits: '15000', writeUnits: '25000' };
  const found = templateOf(bounds).ofType('AWS::CloudWatch::Alarm');
  const on = (id: string): boolean => {
    const alarm = found.find(([name]) => name.startsWith(id))?.[1].Properties;
    return isOn(alarm, Array(3).fill(busy(alarm)));
  };

  const names = ['ServerErrors', 'TableReads', 'SearchReads', 'TableWrites', 'DeskFlooded'];
  expect(names.filter(on)).toEqual([]);
});

test('these alarms go off where one call in a hundred fails, and where half of a bound is used', () => {
  const errors = alarmOf('ServerErrors');

  expect([errors.Namespace, errors.MetricName, errors.Statistic]).toEqual(['AWS/ApiGateway', '5XXError', 'Average']);
  // A fault of more than five minutes reaches into two periods.
  expect(isOn(errors, [0, 0.01, 0.01])).toBe(true);
  expect(isOn(errors, [0.2, undefined, 0.01])).toBe(true);
  // A quiet shop has one failed call by chance.
  expect(isOn(errors, [0, 0, 0.5])).toBe(false);
  expect(isOn(errors, [0.009, 0.009, 0.009])).toBe(false);
  expect(isOn(errors, [undefined, undefined, undefined])).toBe(false);
  expect(isOn(alarmOf('TableWrites'), Array(3).fill(1000 * 300))).toBe(true);
  expect(isOn(alarmOf('TableWrites'), [999 * 300, 1000 * 300, 1000 * 300])).toBe(false);
  expect(textOf(alarmOf('TableWrites').AlarmDescription)).toContain('That costs 2.25 dollars an hour');
});

test('HistoryBehind goes off where the consumer is late, and where nothing calls it', () => {
  const behind = alarmOf('HistoryBehind');

  expect(isOn(behind, [300_000, 400_000, 500_000])).toBe(true);
  expect(isOn(behind, [undefined, undefined, undefined])).toBe(true);
  expect(isOn(behind, [undefined, 1000, undefined])).toBe(false);
});

test('SweepFailing goes off where three of the sweeps of five minutes fail', () => {
  const failing = alarmOf('SweepFailing');

  expect([failing.Namespace, failing.MetricName, failing.Statistic]).toEqual(['AWS/Lambda', 'Errors', 'Sum']);
  expect(failing.Dimensions[0].Value.Ref).toMatch(/^expirysweepFunction/);
  expect([isOn(failing, [2]), isOn(failing, [3])]).toEqual([false, true]);
});

test('floods are shares of the rates that the settings give', () => {
  const alarmWith = (settings: Record<string, string>, name: string): Resource =>
    templateOf(settings)
      .ofType('AWS::CloudWatch::Alarm')
      .find(([id]) => id.startsWith(name))?.[1].Properties;

  expect(alarmOf('CallsRefused').Threshold).toBe(300);
  expect(alarmWith({ endpointRate: '1000' }, 'CallsRefused').Threshold).toBe(3000);
  expect(alarmWith({ writeUnits: '25000' }, 'TableWrites').Threshold).toBe(12_500 * 300);
});
