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
import { type AlarmFacts, alarmsOf, type Watched } from './alarms.ts';

/**
 * The alarms, with e-mails to the address of the settings, and one dashboard. They are a stack of their own within the
 * service's, which has room for 500 resources: nothing in here has state.
 */
export class Operation extends NestedStack {
  private readonly topic: Topic | undefined;

  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id);
    const { settings } = watched;
    this.topic = settings.alarmEmail === undefined ? undefined : this.mailTo(settings.alarmEmail);
    const facts = alarmsOf(this, watched);
    for (const [name, fact] of Object.entries(facts)) this.addAlarm(name, fact);
    this.addDashboard(settings.stage, facts);
  }

  private mailTo(address: string): Topic {
    const topic = new Topic(this, 'Topic', { enforceSSL: true });
    // The policy that `enforceSSL` makes replaces the default one, with which the account's alarms may publish.
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
    if (!this.topic) return;
    alarm.addAlarmAction(new SnsAction(this.topic));
    // A second e-mail says that it is over.
    alarm.addOkAction(new SnsAction(this.topic));
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
