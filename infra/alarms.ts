import { Duration, Names } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Construct, Node } from 'constructs';
import { indexes } from '../lib/table/schema.ts';
import type { Api } from './api.ts';
import type { Data } from './data.ts';
import type { ServiceFunction } from './service-function.ts';
import type { Settings } from './settings.ts';

/** The parts of the service that alarms are about. */
export interface Watched {
  settings: Settings;
  api: Api;
  data: Data;
  worker: ServiceFunction;
  sweep: ServiceFunction;
  consumer: ServiceFunction;
  /** Where events are put on a bus. */
  bus: ServiceFunction | undefined;
  /** The schedule of exports, where there is one. */
  exports: ScheduleGroup | undefined;
  lookUp: ServiceFunction;
  /** The desk's files are served, to everybody. */
  hasDesk: boolean;
  /** The functions that change credit. */
  creditWriters: readonly ServiceFunction[];
}

export interface AlarmFacts {
  metric: IMetric;
  threshold: number;
  periods?: number;
  /** A missing metric sets the alarm off too. */
  alsoWhenMissing?: true;
  below?: true;
  /** The text of the e-mail: the effect, who is affected, and where to look. */
  meaning: string;
}

const fiveMinutes = Duration.minutes(5);

/**
 * A metric of the table, and the same of each of its indexes. AWS bills each. Nothing but products writes to the index
 * of search texts, and never without a write of the table.
 */
const ofPlaces = (TableName: string, metricName: string): Record<string, Metric> => {
  const watched = Object.keys(indexes).filter((index) => index !== 'byText' || !metricName.includes('Write'));
  const places = [{}, ...watched.map((GlobalSecondaryIndexName) => ({ GlobalSecondaryIndexName }))];
  const metrics = places.map(
    (place, index) =>
      [
        `m${index}`,
        new Metric({
          namespace: 'AWS/DynamoDB',
          metricName,
          dimensionsMap: { TableName, ...place },
          statistic: 'Sum',
          period: fiveMinutes,
        }),
      ] as const,
  );
  return Object.fromEntries(metrics);
};

/**
 * The sum of a metric over the table and its indexes. CloudWatch has no value for a metric of which nothing happened,
 * and none for a sum with such a part: hence FILL.
 */
const sumOverTable = (tableName: string, metricName: string): MathExpression => {
  const usingMetrics = ofPlaces(tableName, metricName);
  const expression = Object.keys(usingMetrics)
    .map((id) => `FILL(${id}, 0)`)
    .join(' + ');
  return new MathExpression({ expression, usingMetrics, period: fiveMinutes });
};

/** The share of their bound, in percent, that the table or the busiest of its indexes has used. */
const shareOfBound = (tableName: string, metricName: string, unitsPerSecond: number): MathExpression =>
  new MathExpression({
    expression: `100 * MAX(FILL(METRICS(), 0)) / ${unitsPerSecond * fiveMinutes.toSeconds()}`,
    usingMetrics: ofPlaces(tableName, metricName),
    period: fiveMinutes,
  });

/** The faults among all, in percent; 0 while there are fewer than five, which a quiet shop has by chance. */
const percentOf = (faults: IMetric, all: IMetric): MathExpression =>
  new MathExpression({
    expression: 'IF(FILL(faults, 0) >= 5, 100 * FILL(faults, 0) / FILL(all, 1), 0)',
    usingMetrics: { faults, all },
    period: fiveMinutes,
  });

/** Counts the log lines that match a pattern. The filters become children of `scope`. */
const counted = (
  scope: Construct,
  name: string,
  metricValue: string,
  pattern: string,
  writers: readonly { node: Node; log: LogGroup }[],
): Metric => {
  const metric = { metricNamespace: 'StoreIntegrationService', metricName: `${Names.uniqueId(scope)}-${name}` };
  for (const { node, log } of writers)
    new MetricFilter(scope, `${name}-${node.id}`, {
      ...metric,
      logGroup: log,
      metricValue,
      filterPattern: FilterPattern.literal(pattern),
    });
  const { metricNamespace: namespace, metricName } = metric;
  return new Metric({ namespace, metricName, statistic: 'Sum', period: fiveMinutes });
};

/** A metric of all functions of the account in this region, which share one quota. */
const ofAccount = (metricName: string): Metric =>
  new Metric({ namespace: 'AWS/Lambda', metricName, statistic: 'Sum', period: fiveMinutes });

const apiAlarms = (scope: Construct, { api }: Watched): Record<string, AlarmFacts> => ({
  ServerErrors: {
    metric: percentOf(
      api.rest.metricServerError({ statistic: 'Sum', period: fiveMinutes }),
      api.rest.metricCount({ statistic: 'Sum', period: fiveMinutes }),
    ),
    threshold: 1,
    meaning:
      'Calls of clients fail: within 5 minutes one answer in a hundred or more was 5xx, and 5 at least. Credit stays correct, since a change takes effect completely or not at all. Look for level ERROR in the logs of the functions.',
  },
  Latency: {
    metric: api.rest.metricLatency({ statistic: 'p99', period: fiveMinutes }),
    threshold: 3000,
    periods: 3,
    meaning:
      'Clients wait: for 15 minutes one call in a hundred has taken 3 seconds or more. Scripts in the virtual world give up after 60. The dashboard shows whether DynamoDB throttles the table.',
  },
  FunctionsThrottled: {
    metric: percentOf(ofAccount('Throttles'), ofAccount('Invocations')),
    threshold: 1,
    meaning:
      'Clients get 503 answers and deliveries wait: Lambda refused calls of functions, 5 or more within 5 minutes and at least one for a hundred that it took. This account may not run enough functions at once in this region. Request a higher "Concurrent executions" quota of Lambda; new accounts begin with 10.',
  },
  CallsRefused: {
    metric: counted(scope, 'CallsRefused', '1', '{ ($.status = "401") || ($.status = "403") }', [api]),
    threshold: 300,
    meaning:
      'All calls of some program fail, or somebody guesses keys: within 5 minutes the service refused 300 or more calls for their API key. 401 means that a key is wrong, expired or revoked, 403 that it lacks a scope. The access log shows the route and, for 403, the id of the key; "npx store key list" with --stage shows whose it is.',
  },
  CallsThrottled: {
    metric: counted(scope, 'CallsThrottled', '1', '{ ($.status = "429") }', [api]),
    threshold: 300,
    meaning:
      'Clients have to wait: 300 or more answers within 5 minutes were 429. A program may run wild, or the rates may be too low for your stores. The access log shows the routes; readRate, writeRate, listRate, storeShare and, for lists, readUnits are settings.',
  },
});

/**
 * Without a key every answer is 200, so neither CallsRefused nor CallsThrottled hears of calls below the desk's own
 * rate.
 */
const deskAlarms = (scope: Construct, { api, hasDesk }: Watched): Record<string, AlarmFacts> =>
  hasDesk
    ? {
        DeskFlooded: {
          metric: counted(scope, 'DeskCalls', '1', '{ $.route = "/desk*" }', [api]),
          threshold: 1000,
          meaning:
            'You pay for traffic, and people may be unable to load the desk: within 5 minutes it was asked for 1,000 or more files, while one person needs five, once for each release. Anybody may load them, so no key says who it is. At most this costs 1.50 dollars an hour. The setting firewall limits each address; desk=false takes the desk away.',
        },
      }
    : {};

/** The dollars an hour of so many units a second, at a price for a million of us-east-1. */
const hourly = (units: number, price: number): string => ((units * 3600 * price) / 1e6).toFixed(2);

const tableAlarms = ({ data, settings: { readUnits, writeUnits } }: Watched): Record<string, AlarmFacts> => ({
  ReadsThrottled: {
    metric: sumOverTable(data.table.tableName, 'ReadThrottleEvents'),
    threshold: 1,
    periods: 2,
    meaning:
      'Clients get 503 answers and have to retry: DynamoDB throttles reads of the table or of one of its indexes. Together the calls may exceed the bound, which is the setting readUnits; or those for one store or customer exceed the capacity of a partition.',
  },
  WritesThrottled: {
    metric: sumOverTable(data.table.tableName, 'WriteThrottleEvents'),
    threshold: 1,
    periods: 2,
    meaning:
      'Clients get 503 answers and have to retry: DynamoDB throttles writes of the table or of one of its indexes. Together the calls may exceed the bound, which is the setting writeUnits; or those for one store or customer exceed the capacity of a partition.',
  },
  TableReads: {
    metric: shareOfBound(data.table.tableName, 'ConsumedReadCapacityUnits', readUnits),
    threshold: 50,
    periods: 3,
    meaning: `You pay for reads, and may soon get 503: for 15 minutes the table, or one of its indexes, has used half of its bound, the setting readUnits. That costs ${hourly(readUnits / 2, 0.125)} dollars an hour. The export or audit of a large store does so for a while. If your stores are as busy as that, raise readUnits. Otherwise a program may read lists over and over; the access log shows the route and key.`,
  },
  TableWrites: {
    metric: shareOfBound(data.table.tableName, 'ConsumedWriteCapacityUnits', writeUnits),
    threshold: 50,
    periods: 3,
    meaning: `You pay for writes, and may soon get 503: for 15 minutes the table, or one of its indexes, has used half of its bound, the setting writeUnits. That costs ${hourly(writeUnits / 2, 0.625)} dollars an hour. The import of a large store does so for a while. If your stores are as busy as that, raise writeUnits. Otherwise a program may repeat its changes over and over; the access log shows the route and key.`,
  },
});

const deliveryAlarms = (scope: Construct, { data, worker, sweep }: Watched): Record<string, AlarmFacts> => ({
  DeliveryNotOrdered: {
    // The sweep tries again each minute, so a lasting fault repeats.
    metric: counted(scope, 'DeliveryNotOrdered', '1', '{ $.unsent = * }', [sweep]),
    threshold: 3,
    meaning:
      'Residents paid and wait: the delivery of a completed sale cannot be put on the queue, neither by stream-consumer nor by expiry-sweep. The sweep tries it again each minute. Its log shows the reason under "unsent".',
  },
  DeliveryFailed: {
    metric: counted(scope, 'DeliveryFailed', '1', '{ $.delivery = "failed" }', [worker]),
    threshold: 1,
    meaning:
      'A resident did not receive an order, and the service does not retry it: the dispenser refused it, or did not answer for 14 days. "npx store deliveries list --state failed" with --stage shows which and why. Correct the cause, then run "npx store deliveries retry --all-failed".',
  },
  DeliveryWaiting: {
    metric: counted(scope, 'DeliveryWaiting', '1', '{ $.delivery = "waiting" }', [worker]),
    threshold: 1,
    meaning:
      'A resident waits for a product, because the store’s dispenser does not answer or has no address. The delivery continues when the dispenser registers, as it does after a restart of its region. "npx store doctor" with --stage shows which store; check whether its dispenser still stands.',
  },
  DeadLetters: {
    metric: data.deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period: fiveMinutes }),
    threshold: 1,
    meaning:
      'A resident may not receive an order: no worker could handle its message. SQS deletes the message 14 days after it was sent. "npx store deliveries dead-letters" with --stage shows it. Correct the cause, then run the same command with --redrive.',
  },
  WorkerFailing: {
    // SQS returns the message after 6 minutes, so a lasting fault repeats. A single one needs nobody.
    metric: counted(scope, 'WorkerFailing', '1', '{ $.delivery = "error" }', [worker]).with({
      period: Duration.minutes(15),
    }),
    threshold: 2,
    meaning:
      'Residents wait for their products: the worker failed at two or more deliveries within 15 minutes, because of a bug, the table or the queue. It retries them every 6 minutes. Lines with "delivery": "error" in its log hold the reason.',
  },
  WorkerCrashing: {
    metric: worker.lambda.metricErrors({ statistic: 'Sum', period: fiveMinutes }),
    threshold: 1,
    meaning:
      'Residents wait for their products: the worker crashed, or ran out of time or memory, in the middle of a batch. The messages of the batch come back after 6 minutes. The end of its log shows the reason.',
  },
  WebhookDisabled: {
    metric: counted(scope, 'WebhookDisabled', '1', '{ $.webhook = "disabled" }', [worker]),
    threshold: 1,
    meaning:
      'A program of a merchant gets no events any more: its webhook answered 410, or nothing but failures for five days, and was disabled. GET /v1/webhooks shows which; a PUT with state active enables it, and GET /v1/events has the events that it missed.',
  },
  // A message that waits for a worker is visible; one in a worker's hands, or between two attempts, is not. The age of
  // the oldest message cannot serve: SQS leaves a message out of it from its third receive on.
  DeliveriesUnclaimed: {
    metric: data.queue.metricApproximateNumberOfMessagesVisible({ statistic: 'Minimum', period: fiveMinutes }),
    threshold: 1,
    periods: 3,
    meaning:
      'Residents wait for their products: for 15 minutes there were always deliveries that no worker had claimed. The worker may not run: see its throttles and its event source in Lambda. Or orders arrive faster than dispensers give them: raise deliveryConcurrency.',
  },
  WebhooksUnclaimed: {
    metric: data.slowQueue.metricApproximateNumberOfMessagesVisible({ statistic: 'Minimum', period: fiveMinutes }),
    threshold: 1,
    periods: 3,
    meaning:
      'Programs whose webhooks fail or answer slowly wait for their events: for 15 minutes there were always some that no worker had claimed. All other webhooks and deliveries are not affected. Many webhooks may not answer: "npx store webhooks list" shows since when one fails; delete those that nobody needs.',
  },
});

const residentAlarms = (_scope: Construct, { lookUp }: Watched): Record<string, AlarmFacts> => ({
  LookUpFailing: {
    metric: lookUp.lambda.metricErrors({ statistic: 'Sum', period: fiveMinutes }),
    threshold: 3,
    meaning:
      'Avatars whom nobody imported cannot buy: calls about them are answered 404 or 400, because the function resident-lookup fails. Residents who are known already are not affected. The log of that function shows the reason.',
  },
});

const creditAlarms = (scope: Construct, { sweep, creditWriters }: Watched): Record<string, AlarmFacts> => ({
  SweepNotRun: {
    metric: sweep.lambda.metricInvocations({ statistic: 'Sum', period: fiveMinutes }),
    threshold: 1,
    periods: 3,
    below: true,
    alsoWhenMissing: true,
    meaning:
      'Expired credit stays in the balances that clients read: the sweep has not run for 15 minutes. Nobody can spend it, since every change closes due lots first. Check the schedule in EventBridge Scheduler.',
  },
  SweepFailing: {
    metric: sweep.lambda.metricErrors({ statistic: 'Sum', period: fiveMinutes }),
    threshold: 3,
    meaning:
      'A part of the sweep fails, or it does not end: expired credit may stay in the balances that clients read, and deliveries and events come late. Its log shows the reason.',
  },
  CustomerNotSwept: {
    metric: counted(scope, 'Failed', '$.sweep.failed', '{ $.sweep.failed > 0 }', [sweep]),
    threshold: 1,
    periods: 3,
    meaning:
      'Expired credit stays in the balances of single customers, because the sweep fails to close their lots again and again. Its log names the customers and the reason.',
  },
  InvariantBroken: {
    metric: counted(scope, 'Invariant', '1', '{ $.invariant = * }', [sweep, ...creditWriters]),
    threshold: 1,
    meaning:
      'A customer may have more or less credit than they should: a balance and its lots disagree. Stop changing this customer, keep the log line, and compare with a restored copy of the table.',
  },
});

const historyAlarms = ({ data, consumer }: Watched): Record<string, AlarmFacts> => ({
  // Lambda has no IteratorAge of a stream that it does not read. The note of each sweep calls the consumer every
  // minute.
  HistoryStopped: {
    metric: consumer.lambda.metricInvocations({ statistic: 'Sum', period: fiveMinutes }),
    threshold: 1,
    periods: 3,
    below: true,
    alsoWhenMissing: true,
    meaning:
      'Integrators do not see the latest changes in the history of credit and in the sums of days, and webhooks get no events: Lambda has not called the function stream-consumer for 15 minutes. Balances are right. If the alarm SweepNotRun is on, begin there. Otherwise check the function’s event source mapping and throttles. After 20 hours changes would be missing.',
  },
  HistoryBehind: {
    metric: consumer.lambda.metric('IteratorAge', { statistic: 'Maximum', period: fiveMinutes }),
    threshold: 300_000,
    meaning:
      'Integrators do not see the latest changes in the history of credit and in the sums of days: these are 5 minutes or more behind. Balances are right. After 20 hours changes would be missing. The log of the function stream-consumer shows the reason, if it is not throttled.',
  },
  HistoryFailures: {
    metric: data.historyFailures.metricApproximateNumberOfMessagesVisible({
      statistic: 'Maximum',
      period: fiveMinutes,
    }),
    threshold: 1,
    meaning:
      'Changes are missing in the history of credit and in the sums of days: the function stream-consumer could not use a record of the table’s stream. Balances are right. Its log shows the reason; the queue keeps the record for 14 days. "The history of credit" in docs/operate/recover.md says how to send it again.',
  },
  HistoryLost: {
    metric: consumer.lambda.metric('DestinationDeliveryFailures', { statistic: 'Sum', period: fiveMinutes }),
    threshold: 1,
    meaning:
      'Changes are missing for good in the history of credit and in the sums of days: Lambda gave records of the table’s stream up, and could not put their place on the queue of failures either. Balances are right. Check that the role of stream-consumer may send to that queue, and then run "npx store credit backfill" for each store.',
  },
});

const busAlarms = (scope: Construct, { bus }: Watched): Record<string, AlarmFacts> =>
  bus
    ? {
        EventBusBehind: {
          metric: bus.lambda.metric('IteratorAge', { statistic: 'Maximum', period: fiveMinutes }),
          threshold: 300_000,
          meaning:
            'Rules on your event bus do not see the latest events: these are 5 minutes or more behind. Nothing else is affected. After 20 hours events would not reach the bus; GET /v1/events has them for 30 days. The log of the function event-bus shows the reason: often the bus of the setting eventBus does not exist.',
        },
        EventBusRefused: {
          metric: counted(scope, 'EventBusRefused', '1', '{ $.bus = "refused" }', [bus]),
          threshold: 1,
          meaning:
            'An event is missing on your event bus, which refused it for its form. The log of the function event-bus shows which; GET /v1/events has it.',
        },
      }
    : {};

const exportAlarms = ({ exports }: Watched): Record<string, AlarmFacts> =>
  exports
    ? {
        ExportRefused: {
          metric: exports.metricTargetErrors({ statistic: 'Sum', period: fiveMinutes }),
          threshold: 1,
          meaning:
            'The daily copy of the table is missing: DynamoDB refused to begin an export. Nothing else is affected. Often the bucket of the setting exportBucket does not exist, or its policy does not let this account write. "aws dynamodb list-exports" shows the last ones.',
        },
        ExportNotRun: {
          metric: exports.metricAttempts({ statistic: 'Sum', period: Duration.days(1) }),
          threshold: 1,
          periods: 2,
          below: true,
          alsoWhenMissing: true,
          meaning:
            'The daily copy of the table is missing: for two days nothing has asked DynamoDB for an export. Nothing else is affected. Check the schedule in EventBridge Scheduler.',
        },
      }
    : {};

/** All alarms by name. */
export const alarmsOf = (scope: Construct, watched: Watched): Record<string, AlarmFacts> => ({
  ...apiAlarms(scope, watched),
  ...deskAlarms(scope, watched),
  ...tableAlarms(watched),
  ...deliveryAlarms(scope, watched),
  ...residentAlarms(scope, watched),
  ...creditAlarms(scope, watched),
  ...historyAlarms(watched),
  ...busAlarms(scope, watched),
  ...exportAlarms(watched),
});
