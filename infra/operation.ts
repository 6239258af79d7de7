import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  TextWidget,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Data } from './data.ts';
import type { ServiceFunction } from './service-function.ts';
import type { Settings } from './settings.ts';

interface OperationProps {
  settings: Settings;
  api: RestApi;
  data: Data;
  worker: ServiceFunction;
  sweep: ServiceFunction;
}

interface AlarmFacts {
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

/** Alarms that say what breaks for whom, mailed to the address of the settings, and one dashboard. */
export class Operation extends Construct {
  private readonly topic: Topic | undefined;

  constructor(scope: Construct, id: string, props: OperationProps) {
    super(scope, id);
    const { settings } = props;
    this.topic = settings.alarmEmail === undefined ? undefined : this.mailTo(settings.alarmEmail);
    const facts: Record<string, AlarmFacts> = {
      ...apiAlarms(props),
      ...deliveryAlarms(props),
      ...this.sweepAlarms(props.sweep),
    };
    for (const [name, fact] of Object.entries(facts)) this.addAlarm(name, fact);
    this.addDashboard(settings.stage, facts);
  }

  private mailTo(address: string): Topic {
    const topic = new Topic(this, 'Topic', { enforceSSL: true });
    topic.addSubscription(new EmailSubscription(address));
    return topic;
  }

  private addAlarm(
    name: string,
    { metric, threshold, periods = 1, alsoWhenMissing, below, meaning }: AlarmFacts,
  ): void {
    const alarm = new Alarm(this, name, {
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: below
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: alsoWhenMissing ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      alarmDescription: meaning,
    });
    if (this.topic) alarm.addAlarmAction(new SnsAction(this.topic));
  }

  /** The sweep's log tells how it went; CloudWatch counts its lines. */
  private sweepAlarms(sweep: ServiceFunction): Record<string, AlarmFacts> {
    const counted = (name: string, field: string, value: string, pattern: string): Metric => {
      const filter = new MetricFilter(this, name, {
        logGroup: sweep.log,
        metricNamespace: 'StoreIntegrationService',
        metricName: `${sweep.node.path.replaceAll('/', '-')}-${field}`,
        metricValue: value,
        filterPattern: FilterPattern.literal(pattern),
      });
      return filter.metric({ statistic: 'Sum', period: fiveMinutes });
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
        metric: counted('Failed', 'failed', '$.sweep.failed', '{ $.sweep.failed > 0 }'),
        threshold: 1,
        periods: 3,
        meaning:
          'Expired credit of single customers stays in their balances, because closing their lots fails again and again. The sweep logs whose, with the reason.',
      },
      InvariantBroken: {
        metric: counted('Invariant', 'invariant', '1', '{ $.invariant = * }'),
        threshold: 1,
        meaning:
          'A customer may have more or less credit than they should: a balance and its lots disagree. Stop changing this customer, keep the log line, and compare with a restored copy of the table.',
      },
    };
  }

  private addDashboard(stage: string, facts: Record<string, AlarmFacts>): void {
    const dashboard = new Dashboard(this, 'Dashboard', {});
    dashboard.addWidgets(
      new TextWidget({ markdown: `# Store Integration Service: ${stage}`, width: 24, height: 1 }),
      ...Object.entries(facts).map(
        ([title, { metric, threshold, meaning }]) =>
          new GraphWidget({ title, left: [metric], leftAnnotations: [{ value: threshold, label: meaning }], width: 8 }),
      ),
    );
  }
}

const apiAlarms = ({ api, data }: OperationProps): Record<string, AlarmFacts> => {
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

const deliveryAlarms = ({ data }: OperationProps): Record<string, AlarmFacts> => ({
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
