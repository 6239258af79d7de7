import type { Units } from './budgets-whole.ts';
import type { Resource, templateOf } from './stack.ts';

/**
 * The cost of a template in a month in which nobody calls: list prices of us-east-1, without the free tiers. The rows
 * are named as in docs/operate/costs.md.
 */

const minutes = 43_800;
const millions = (count: number): number => count / 1e6;

/** AWS bills these by use alone, or not at all. A type that is nowhere in this file has to be looked up first. */
const billedByUse =
  /^AWS::(ApiGateway|CloudFormation|DynamoDB|IAM|Logs|SNS|SQS)::|^AWS::Lambda::(EventInvokeConfig|Function|Permission)$|^AWS::(Scheduler::ScheduleGroup|WAFv2::WebACLAssociation)$|^AWS::KMS::Alias$/;

/** Lambda keeps five connections to a queue open. Each of them asks every 20 seconds. */
const pollsOf = (queues: number): number => queues * 5 * 3 * minutes;

/** A run of a function that has nothing to do, without its log. */
const runOf = ({ Properties: { MemorySize } }: Resource): number => 0.2 + (MemorySize / 1024) * 0.05 * 13.3334;

type Template = Pick<ReturnType<typeof templateOf>, 'all' | 'ofType' | 'functionOf'>;

/** A minute's sweep: its schedule, run, table and log. Its note calls the consumer, whose run and log are included. */
const sweepOf = ({ functionOf }: Template, { reads, writes }: Units): number => {
  const [sweep, consumer] = ['expiry-sweep', 'stream-consumer'].map((entry) => runOf(functionOf(entry)[1]));
  return 1 + (sweep ?? 0) + (consumer ?? 0) + 0.125 * reads + 0.625 * writes + 0.5 + 0.25;
};

/** The metrics of an alarm. AWS bills each of them. */
export const metricsOf = ({ Properties }: Resource): Resource[] =>
  Properties.Metrics ? Properties.Metrics.filter(({ MetricStat }: Resource) => MetricStat) : [Properties];

/** Each row of an idle month, in dollars. `sweep` is what a sweep uses of the table if nothing is due. */
export const idleCosts = (template: Template, sweep: Units) => {
  const { all, ofType } = template;
  const known = new Map<string, (resources: Resource[]) => [row: string, dollars: number]>([
    ['AWS::CloudWatch::Dashboard', (dashboards) => ['`dashboard`', 3 * dashboards.length]],
    [
      'AWS::CloudWatch::Alarm',
      (alarms) => [`${alarms.length} alarms`, 0.1 * alarms.reduce((sum, one) => sum + metricsOf(one).length, 0)],
    ],
    ['AWS::SecretsManager::Secret', (secrets) => ['the secret that seals cursors', 0.4 * secrets.length]],
    [
      'AWS::Lambda::EventSourceMapping',
      (mappings) => {
        const queues = mappings.filter(({ Properties }) => !Properties.StartingPosition);
        return ["the worker's polling of its two queues", 0.4 * millions(pollsOf(queues.length))];
      },
    ],
    [
      'AWS::Scheduler::Schedule',
      (schedules) => {
        const perMinute = schedules.filter(({ Properties }) => Properties.ScheduleExpression === 'rate(1 minute)');
        // The others run once an hour or a day.
        return ['the sweep', millions(minutes * perMinute.length * sweepOf(template, sweep))];
      },
    ],
    [
      'AWS::WAFv2::WebACL',
      (lists) => ['`firewall`', lists.reduce((sum, { Properties }) => sum + 5 + Properties.Rules.length, 0)],
    ],
    ['AWS::KMS::Key', (keys) => ['`ownEncryptionKey`', keys.length]],
  ]);
  const types = [...new Set(Object.values(all).map(({ Type }) => Type as string))];
  const unknown = types.filter((type) => !billedByUse.test(type) && !known.has(type));
  if (unknown.length > 0) throw new Error(`It is not known here what these cost: ${unknown.join(', ')}.`);
  return Object.fromEntries(
    [...known].flatMap(([type, rowOf]) => {
      const resources = ofType(type).map(([, resource]) => resource);
      return resources.length > 0 ? [rowOf(resources)] : [];
    }),
  );
};
