import { Duration, Names } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct, Node } from 'constructs';
import { indexes } from '../lib/table/schema.ts';
import type { Api } from './api.ts';
import type { Data } from './data.ts';
import type { ServiceFunction } from './service-function.ts';

/** The parts of the service that alarms are about. */
export interface Watched {
  api: Api;
  data: Data;
  worker: ServiceFunction;
  sweep: ServiceFunction;
  /** The functions that change credit. */
  creditWriters: readonly ServiceFunction[];
}

export interface AlarmFacts {
  metric: IMetric;
  threshold: number;
  periods?: number;
  /** Silence is a fault too. */
  alsoWhenMissing?: true;
  below?: true;
  /** What breaks for whom, and where to look: the text of the e-mail. */
  meaning: string;
}

const fiveMinutes = Duration.minutes(5);

/**
 * The sum of some metrics of the table and its indexes, each of which has its own. Where nothing happened there is no
 * number, and a sum with one of those missing would be missing too: hence FILL.
 */
const sumOverTable = (TableName: string, metricNames: readonly string[]): MathExpression => {
  const places = [{}, ...Object.keys(indexes).map((GlobalSecondaryIndexName) => ({ GlobalSecondaryIndexName }))];
  const metrics = places.flatMap((place) =>
    metricNames.map(
      (metricName) =>
        new Metric({
          namespace: 'AWS/DynamoDB',
          metricName,
          dimensionsMap: { TableName, ...place },
          statistic: 'Sum',
          period: fiveMinutes,
        }),
    ),
  );
  return new MathExpression({
    expression: metrics.map((_, index) => `FILL(m${index}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric])),
    period: fiveMinutes,
  });
};

/** Counts lines of logs, which tell how it went. The filters become children of `scope`. */
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

const apiAlarms = (scope: Construct, { api }: Watched): Record<string, AlarmFacts> => ({
  ServerErrors: {
    metric: api.rest.metricServerError({ statistic: 'Sum', period: fiveMinutes }),
    threshold: 5,
    meaning:
      'Clients get 5xx answers: 5 or more within 5 minutes. Money is safe, since a change is whole or not made, but calls fail. Look for level ERROR in the logs of the functions.',
  },
  Latency: {
    metric: api.rest.metricLatency({ statistic: 'p99', period: fiveMinutes }),
    threshold: 3000,
    periods: 3,
    meaning:
      'Clients wait: for 15 minutes one call of a hundred has taken 3 seconds or more. Scripts in the virtual world give up after 60. The dashboard tells whether the table is throttled.',
  },
  FunctionsThrottled: {
    metric: new Metric({
      namespace: 'AWS/Lambda',
      metricName: 'Throttles',
      statistic: 'Sum',
      period: fiveMinutes,
    }),
    threshold: 1,
    meaning:
      'Clients get 5xx answers: the account lets too few functions run at once in this region. Ask AWS for a higher "Concurrent executions" quota of Lambda; new accounts begin with 10.',
  },
  CallsRefused: {
    metric: counted(scope, 'CallsRefused', '1', '{ ($.status = "401") || ($.status = "403") }', [api]),
    threshold: 300,
    meaning:
      'A program gets nothing done, or somebody tries keys: 300 or more calls within 5 minutes were refused for their API key. Behind 401 is a key that is wrong, expired or revoked, behind 403 one that lacks a scope. The access log tells the route, and with 403 the id of the key; "npx store key list" with --stage tells whose it is.',
  },
  CallsThrottled: {
    metric: counted(scope, 'CallsThrottled', '1', '{ ($.status = "429") }', [api]),
    threshold: 300,
    meaning:
      'Clients are told to wait: 300 or more calls within 5 minutes were answered 429. A program may run wild, or the rates are too low for what your stores do. The access log tells the route; readRate, writeRate and listRate are settings.',
  },
});

const tableAlarms = ({ data }: Watched): Record<string, AlarmFacts> => ({
  TableThrottled: {
    metric: sumOverTable(data.table.tableName, ['ReadThrottleEvents', 'WriteThrottleEvents']),
    threshold: 1,
    periods: 2,
    meaning:
      'Clients get 503 answers and have to repeat their calls: the table or one of its indexes refuses some for want of capacity. One store or customer may be called more often than a partition takes.',
  },
  TableReads: {
    metric: sumOverTable(data.table.tableName, ['ConsumedReadCapacityUnits']),
    threshold: 600_000,
    periods: 3,
    meaning:
      'You pay about a dollar an hour for reads: for 15 minutes the table has read 2,000 units a second. An export or an audit of a large store does so for a while; otherwise a program asks for lists over and over. The access log tells which route and key.',
  },
  TableWrites: {
    metric: sumOverTable(data.table.tableName, ['ConsumedWriteCapacityUnits']),
    threshold: 120_000,
    periods: 3,
    meaning:
      'You pay about a dollar an hour for writes: for 15 minutes the table has written 400 units a second. An import of a large store does so for a while; otherwise a program changes things over and over. The access log tells which route and key.',
  },
});

const deliveryAlarms = (scope: Construct, { data, worker }: Watched): Record<string, AlarmFacts> => ({
  DeliveryFailed: {
    metric: counted(scope, 'DeliveryFailed', '1', '{ $.delivery = "failed" }', [worker]),
    threshold: 1,
    meaning:
      'A resident did not get what was ordered for them, and no further try will be made: the dispenser refused it, or was not there for 14 days. "npx store deliveries list --state failed" with --stage tells which and why; mend that, then "npx store deliveries retry --all-failed".',
  },
  DeliveryWaiting: {
    metric: counted(scope, 'DeliveryWaiting', '1', '{ $.delivery = "waiting" }', [worker]),
    threshold: 1,
    meaning:
      'A resident waits for a product, because the store’s dispenser does not answer or has no address. It goes on by itself when the dispenser registers, as after a restart of its region. "npx store doctor" with --stage tells which store; look whether its dispenser still stands.',
  },
  DeadLetters: {
    metric: data.deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period: fiveMinutes }),
    threshold: 1,
    meaning:
      'A resident may not get what was ordered for them: there is a message that no worker could handle. It is lost 14 days after it was first sent. "npx store deliveries dead-letters" with --stage shows it; once the cause is mended, the same with --redrive sends it again.',
  },
  WorkerFailing: {
    // A lasting fault comes back with the message, every 6 minutes; a single one passes by itself.
    metric: counted(scope, 'WorkerFailing', '1', '{ $.delivery = "error" }', [worker]).with({
      period: Duration.minutes(15),
    }),
    threshold: 2,
    meaning:
      'Residents wait for their products: the worker has failed with two or more deliveries within 15 minutes, for a fault of its own, of the table or of the queue. It tries them again every 6 minutes. Lines with "delivery": "error" in its log hold the reason.',
  },
  WorkerCrashing: {
    metric: worker.lambda.metricErrors({ statistic: 'Sum', period: fiveMinutes }),
    threshold: 1,
    meaning:
      'Residents wait for their products: the worker died or ran out of time or memory in the middle of a batch. The messages of the batch come back after 6 minutes. Look at the end of its log.',
  },
  // A waiting message is visible, one that a worker holds or that pauses before its next attempt is not. The age of the
  // oldest message would be silent: SQS leaves a message out of it from its third receive on.
  DeliveriesNotTakenUp: {
    metric: data.queue.metricApproximateNumberOfMessagesVisible({ statistic: 'Minimum', period: fiveMinutes }),
    threshold: 1,
    periods: 3,
    meaning:
      'Residents wait for their products: for 15 minutes there were always deliveries that no worker had taken up. Either the worker does not run, see its throttles and its event source in Lambda, or orders come faster than dispensers take them: then raise deliveryConcurrency.',
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
      'Expired credit stays in the balances that clients read: the sweep has not run for 15 minutes. Nobody can spend it, since every change closes due lots first. Look at the schedule in EventBridge Scheduler.',
  },
  SweepFailing: {
    metric: sweep.lambda.metricErrors({ statistic: 'Sum', period: fiveMinutes }),
    threshold: 3,
    meaning:
      'Expired credit stays in the balances that clients read: the sweep starts but fails. Look at its log group.',
  },
  CustomerNotSwept: {
    metric: counted(scope, 'Failed', '$.sweep.failed', '{ $.sweep.failed > 0 }', [sweep]),
    threshold: 1,
    periods: 3,
    meaning:
      'Expired credit of single customers stays in their balances, because closing their lots fails again and again. The sweep logs whose, with the reason.',
  },
  InvariantBroken: {
    metric: counted(scope, 'Invariant', '1', '{ $.invariant = * }', [sweep, ...creditWriters]),
    threshold: 1,
    meaning:
      'A customer may have more or less credit than they should: a balance and its lots disagree. Stop changing this customer, keep the log line, and compare with a restored copy of the table.',
  },
});

/** Every alarm, by its name. */
export const alarmsOf = (scope: Construct, watched: Watched): Record<string, AlarmFacts> => ({
  ...apiAlarms(scope, watched),
  ...tableAlarms(watched),
  ...deliveryAlarms(scope, watched),
  ...creditAlarms(scope, watched),
});
