import { Duration, Names } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Data } from './data.ts';
import type { ServiceFunction } from './service-function.ts';

/** What is watched. */
export interface Watched {
  api: RestApi;
  data: Data;
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

const apiAlarms = ({ api, data }: Watched): Record<string, AlarmFacts> => {
  const table = (metricName: string): Metric =>
    new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: { TableName: data.table.tableName },
      statistic: 'Sum',
      period: fiveMinutes,
    });
  return {
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
      metric: new MathExpression({
        expression: 'reads + writes',
        usingMetrics: { reads: table('ReadThrottleEvents'), writes: table('WriteThrottleEvents') },
        period: fiveMinutes,
      }),
      threshold: 1,
      periods: 2,
      meaning:
        'Clients get 503 answers and have to repeat their calls: the table refuses some for want of capacity. One store or customer may be called more often than a partition takes.',
    },
  };
};

const deliveryAlarms = ({ data }: Watched): Record<string, AlarmFacts> => ({
  DeadLetters: {
    metric: data.deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period: fiveMinutes }),
    threshold: 1,
    meaning:
      'A resident did not get what was queued for them: a delivery failed for good and lies in the dead-letter queue, for 14 days. Read it there, mend the cause, and start a redrive.',
  },
  QueueAge: {
    metric: data.queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period: fiveMinutes }),
    threshold: 900,
    periods: 3,
    meaning:
      'Residents wait for their products: the oldest delivery has been in the queue for more than 15 minutes. Either a dispenser does not answer, or the worker fails: its log tells.',
  },
});

/** Functions tell in their logs how it went; CloudWatch counts the lines. The filters become children of `scope`. */
const creditAlarms = (scope: Construct, { sweep, creditWriters }: Watched): Record<string, AlarmFacts> => {
  const counted = (
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
  return {
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
      metric: counted('Failed', '$.sweep.failed', '{ $.sweep.failed > 0 }', [sweep]),
      threshold: 1,
      periods: 3,
      meaning:
        'Expired credit of single customers stays in their balances, because closing their lots fails again and again. The sweep logs whose, with the reason.',
    },
    InvariantBroken: {
      metric: counted('Invariant', '1', '{ $.invariant = * }', [sweep, ...creditWriters]),
      threshold: 1,
      meaning:
        'A customer may have more or less credit than they should: a balance and its lots disagree. Stop changing this customer, keep the log line, and compare with a restored copy of the table.',
    },
  };
};

/** Every alarm, by its name. */
export const alarmsOf = (scope: Construct, watched: Watched): Record<string, AlarmFacts> => ({
  ...apiAlarms(watched),
  ...deliveryAlarms(watched),
  ...creditAlarms(scope, watched),
});
