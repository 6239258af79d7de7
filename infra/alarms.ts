import { Duration, Names } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { indexes } from '../lib/table/table.ts';
import type { Data } from './data.ts';
import type { ServiceFunction } from './service-function.ts';

/** What is watched. */
export interface Watched {
  api: RestApi;
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
 * Throttled reads and writes of the table and its indexes, each of which has metrics of its own. There is no number
 * where nothing was throttled, and a sum with one of those missing would be missing too: hence FILL.
 */
const throttled = (TableName: string): MathExpression => {
  const places = [{}, ...Object.keys(indexes).map((GlobalSecondaryIndexName) => ({ GlobalSecondaryIndexName }))];
  const metrics = places.flatMap((place) =>
    ['ReadThrottleEvents', 'WriteThrottleEvents'].map(
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

const apiAlarms = ({ api, data }: Watched): Record<string, AlarmFacts> => ({
  ServerErrors: {
    metric: api.metricServerError({ statistic: 'Sum', period: fiveMinutes }),
    threshold: 5,
    meaning:
      'Clients get 5xx answers: 5 or more within 5 minutes. Money is safe, since a change is whole or not made, but calls fail. Look for level ERROR in the logs of the functions.',
  },
  Latency: {
    metric: api.metricLatency({ statistic: 'p99', period: fiveMinutes }),
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
  TableThrottled: {
    metric: throttled(data.table.tableName),
    threshold: 1,
    periods: 2,
    meaning:
      'Clients get 503 answers and have to repeat their calls: the table or one of its indexes refuses some for want of capacity. One store or customer may be called more often than a partition takes.',
  },
});

/** Functions tell in their logs how it went; CloudWatch counts the lines. The filters become children of `scope`. */
const counted = (
  scope: Construct,
  name: string,
  metricValue: string,
  pattern: string,
  functions: readonly ServiceFunction[],
): Metric => {
  const metric = { metricNamespace: 'StoreIntegrationService', metricName: `${Names.uniqueId(scope)}-${name}` };
  for (const { node, log } of functions)
    new MetricFilter(scope, `${name}-${node.id}`, {
      ...metric,
      logGroup: log,
      metricValue,
      filterPattern: FilterPattern.literal(pattern),
    });
  const { metricNamespace: namespace, metricName } = metric;
  return new Metric({ namespace, metricName, statistic: 'Sum', period: fiveMinutes });
};

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
  QueueAge: {
    metric: data.queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period: fiveMinutes }),
    threshold: 900,
    periods: 3,
    meaning:
      'Residents wait for their products: the oldest delivery has been in the queue for more than 15 minutes. Either a dispenser does not answer, or the worker fails: its log tells.',
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
  ...apiAlarms(watched),
  ...deliveryAlarms(scope, watched),
  ...creditAlarms(scope, watched),
});
