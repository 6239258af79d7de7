import { NestedStack, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  TextWidget,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { type IndexName, indexes } from '../lib/table/schema.ts';
import { type AlarmFacts, alarmsOf, linesOf, ofTable, type Watched } from './alarms.ts';

const tableMetrics = [
  'ConsumedReadCapacityUnits',
  'ConsumedWriteCapacityUnits',
  'ReadThrottleEvents',
  'WriteThrottleEvents',
];

/**
 * The alarms, with e-mails to the address of the settings, and a dashboard if the settings ask for one. They are a
 * nested stack that is made after everything that they watch. Nothing waits for it: see ADR 1.
 */
export class Operation extends NestedStack {
  readonly topic: Topic | undefined;

  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id);
    const { settings } = watched;
    this.topic = settings.alarmEmail === undefined ? undefined : this.mailTo(settings.alarmEmail);
    const facts = alarmsOf(this, watched);
    for (const [name, fact] of Object.entries(facts)) this.addAlarm(name, fact);
    if (settings.dashboard) this.addDashboard(watched, facts);
  }

  private mailTo(address: string): Topic {
    const topic = new Topic(this, 'Topic', { enforceSSL: true });
    // The policy of `enforceSSL` replaces the default policy, which lets the account's alarms publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'Alarms',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    topic.addSubscription(new EmailSubscription(address));
    return topic;
  }

  private addAlarm(
    name: string,
    { metric, threshold, periods = 1, enough, alsoWhenMissing, below, harm, act, log }: AlarmFacts,
  ): void {
    const alarm = new Alarm(this, name, {
      metric,
      threshold,
      evaluationPeriods: periods,
      ...(enough && { datapointsToAlarm: enough }),
      comparisonOperator: below
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: alsoWhenMissing ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      alarmDescription: `${harm} What to do: ${act}${log ? ` The log: ${linesOf(log)}` : ''}`,
    });
    if (!this.topic) return;
    alarm.addAlarmAction(new SnsAction(this.topic));
    // A second e-mail says that it is over.
    alarm.addOkAction(new SnsAction(this.topic));
  }

  /** The dashboard also shows numbers that no alarm watches: a merchant looks at them after an alarm. */
  private addDashboard({ settings, api, data }: Watched, facts: Record<string, AlarmFacts>): void {
    const places = [undefined, ...(Object.keys(indexes) as IndexName[])];
    const ofPlaces = (metricName: string): GraphWidget =>
      new GraphWidget({
        title: metricName,
        left: places.map((index) => ofTable(data, metricName, index).with({ label: index ?? 'table' })),
        width: 8,
      });
    new Dashboard(this, 'Dashboard', {}).addWidgets(
      new TextWidget({ markdown: `# Store Integration Service: ${settings.stage}`, width: 24, height: 1 }),
      ...Object.entries(facts).map(
        ([title, { metric, threshold, harm }]) =>
          new GraphWidget({ title, left: [metric], leftAnnotations: [{ value: threshold, label: harm }], width: 8 }),
      ),
      new GraphWidget({ title: 'Latency', left: [api.rest.metricLatency({ statistic: 'p99' })], width: 8 }),
      ...tableMetrics.map(ofPlaces),
    );
  }
}
