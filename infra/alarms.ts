import { Duration, Names, Stack } from 'aws-cdk-lib';
import { type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Construct, Node } from 'constructs';
import { lookUpsPerMinute } from '../lib/delivery/lookup.ts';
import { deliveryQueue } from '../lib/delivery/queue.ts';
import { customerPage } from '../lib/http/desk.ts';
import type { IndexName } from '../lib/table/schema.ts';
import { type Api, deskLimit } from './api.ts';
import type { Data } from './data.ts';
import { type Endpoint, harmOfApi } from './endpoints.ts';
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
  /** Puts events on a bus, if the settings name one. */
  bus: ServiceFunction | undefined;
  /** The schedule of exports, if the settings ask for them. */
  exports: ScheduleGroup | undefined;
  /** Asks for the increments between two exports. */
  increments: ServiceFunction | undefined;
  lookUp: ServiceFunction;
  endpoints: readonly Endpoint[];
}

/**
 * An alarm. It watches one metric, for which AWS bills in an idle month too. So an alarm is worth its place only if the
 * merchant must act, and no other alarm tells of the same harm.
 */
export interface AlarmFacts {
  metric: IMetric;
  threshold: number;
  periods?: number;
  /** The alarm is on after this number of the periods: by default after all. */
  enough?: number;
  /** A missing metric sets the alarm off too. */
  alsoWhenMissing?: true;
  below?: true;
  /**
   * The effect, and who is affected. The alarm of a function begins with the harm of that function. With `act` it is
   * the text of the e-mail.
   */
  harm: string;
  /** Says what the merchant does now. */
  act: string;
  /** The log that `act` speaks of, and the pattern of its lines that matter: the text ends with a link to them. */
  log?: Logged;
}

interface Logged {
  of: { log: LogGroup };
  pattern?: string;
}

/** CloudWatch's console decodes its fragment twice, with a dollar sign in place of the percent sign. */
const inFragment = (text: string): string => encodeURIComponent(encodeURIComponent(text)).replaceAll('%', '$');

/** The address of the lines of the last three hours in the merchant's own console. */
export const linesOf = ({ of: { log }, pattern }: Logged): string => {
  const { region } = Stack.of(log);
  const query = [...(pattern === undefined ? [] : [`filterPattern$3D${inFragment(pattern)}`]), 'start$3D-10800000'];
  return `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#logsV2:log-groups/log-group/${log.logGroupName}/log-events$3F${query.join('$26')}`;
};

const fiveMinutes = Duration.minutes(5);
const fiveMinutesOf = (perSecond: number): number => perSecond * fiveMinutes.toSeconds();

/** A metric of the table, or of an index. */
export const ofTable = ({ table }: Data, metricName: string, GlobalSecondaryIndexName?: IndexName): Metric =>
  new Metric({
    namespace: 'AWS/DynamoDB',
    metricName,
    dimensionsMap: { TableName: table.tableName, ...(GlobalSecondaryIndexName && { GlobalSecondaryIndexName }) },
    statistic: 'Sum',
    period: fiveMinutes,
  });

/** Counts the log lines that match a pattern. The filters become children of `scope`. */
const counted = (
  scope: Construct,
  name: string,
  pattern: string,
  writers: readonly { node: Node; log: LogGroup }[],
): Metric => {
  const metric = { metricNamespace: 'StoreIntegrationService', metricName: `${Names.uniqueId(scope)}-${name}` };
  for (const { node, log } of writers)
    new MetricFilter(scope, `${name}-${node.id}`, {
      ...metric,
      logGroup: log,
      metricValue: '1',
      filterPattern: FilterPattern.literal(pattern),
    });
  const { metricNamespace: namespace, metricName } = metric;
  return new Metric({ namespace, metricName, statistic: 'Sum', period: fiveMinutes });
};

const apiAlarms = (scope: Construct, { api, settings }: Watched): Record<string, AlarmFacts> => {
  const { stage, endpointRate } = settings;
  const refused = Math.ceil(fiveMinutesOf(endpointRate) / 100);
  return {
    ServerErrors: {
      // API Gateway gives the average of this metric as the share of errors among all calls. A quiet shop may have one
      // error among few calls by chance, but not in two periods out of three. A lasting fault reaches into two.
      metric: api.rest.metricServerError({ statistic: 'Average', period: fiveMinutes }),
      threshold: 0.01,
      periods: 3,
      enough: 2,
      harm: `${harmOfApi} For more than 5 minutes one answer in a hundred or more was 5xx. Credit stays correct, since a change takes effect completely or not at all.`,
      act: `The log shows which calls. The log of a route's function has the reason under ERROR. Then run "npx store doctor --stage ${stage}": if Lambda may run only few functions at once, request more "Concurrent executions"; if DynamoDB throttles the table, raise readUnits or writeUnits.`,
      log: { of: api, pattern: '{ $.status = "5*" }' },
    },
    CallsRefused: {
      metric: counted(scope, 'CallsRefused', '{ ($.status = "401") || ($.status = "403") || ($.status = "429") }', [
        api,
      ]),
      threshold: refused,
      harm: `All calls of some program fail or have to wait, or somebody guesses keys: within 5 minutes ${refused} or more were answered 401, 403 or 429, one in a hundred of those that endpointRate lets an endpoint take. Each of them costs you a line of the log.`,
      act: `The log shows their status, route and, for 403, key. 401: give the program a key that is not wrong, expired or revoked. 403: give it one with the scope ("npx store key list --stage ${stage}"). 429: stop a program that runs wild, or raise endpointRate, storeShare or readUnits. Keys that you never issued: set firewall to true.`,
      log: { of: api, pattern: '{ $.status = "4*" }' },
    },
  };
};

/**
 * The desk and the customer's page are open to everybody, so their answers are never 401 or 403, and CallsRefused does
 * not see a flood of calls below their own rates.
 */
const deskAlarms = (scope: Construct, { api, settings }: Watched): Record<string, AlarmFacts> => {
  const files = fiveMinutesOf(deskLimit.rate) / 6;
  return settings.desk
    ? {
        DeskFlooded: {
          metric: counted(scope, 'DeskCalls', `{ ($.route = "/desk*") || ($.route = "${customerPage}") }`, [api]),
          threshold: files,
          harm: `You pay for traffic, and people may be unable to load the desk or their own page: within 5 minutes ${files} or more files of them were asked for, a sixth of what one of the desk's methods gives out, while one person needs five, once for each release. Anybody may load them, so no key says who it is. At most this costs 1.90 dollars an hour.`,
          act: 'Set firewall to true, which limits each address; or set desk to false, which takes the desk away. Then deploy again.',
        },
      }
    : {};
};

/** The dollars an hour of a number of units a second, at the price of a million units in us-east-1. */
const hourly = (units: number, price: number): string => ((units * 3600 * price) / 1e6).toFixed(2);

/**
 * These alarms go off at half of the table's bounds. Only the index of the search needs an alarm. The other indexes
 * hold keys alone and take less than the table: a read of them loads the table's rows, and a write of a row writes them
 * at most twice.
 */
const tableAlarms = ({ api, data, settings }: Watched): Record<string, AlarmFacts> => {
  const { readUnits, writeUnits } = settings;
  const halfOf = (units: number) => ({ threshold: fiveMinutesOf(units / 2), periods: 3 });
  const log = { of: api };
  return {
    TableReads: {
      metric: ofTable(data, 'ConsumedReadCapacityUnits'),
      ...halfOf(readUnits),
      harm: `You pay for reads, and clients may soon get 503: for 15 minutes the table has used half of its bound, the setting readUnits. That costs ${hourly(readUnits / 2, 0.125)} dollars an hour.`,
      act: `Wait for the end of an export or audit of a large store. Stop a program that reads lists over and over: the log shows which. If your stores are as busy as that, raise readUnits.`,
      log,
    },
    SearchReads: {
      metric: ofTable(data, 'ConsumedReadCapacityUnits', 'byText'),
      ...halfOf(readUnits),
      harm: `You pay for searches for products, and clients may soon get 503: for 15 minutes they have used half of the bound of their index, the setting readUnits. That costs ${hourly(readUnits / 2, 0.125)} dollars an hour.`,
      act: `Stop a program that searches over and over: the log shows which. If your customers search as much as that, raise readUnits.`,
      log,
    },
    TableWrites: {
      metric: ofTable(data, 'ConsumedWriteCapacityUnits'),
      ...halfOf(writeUnits),
      harm: `You pay for writes, and clients may soon get 503: for 15 minutes the table has used half of its bound, the setting writeUnits. That costs ${hourly(writeUnits / 2, 0.625)} dollars an hour, and those of the indexes come on top.`,
      act: `Wait for the end of an import of a large store. Stop a program that repeats its changes over and over: the log shows which. If your stores are as busy as that, raise writeUnits.`,
      log,
    },
  };
};

const deliveryAlarms = (scope: Construct, { data, worker, settings }: Watched): Record<string, AlarmFacts> => {
  const { stage } = settings;
  const quarter = Duration.minutes(15);
  return {
    GivenUp: {
      metric: counted(scope, 'GivenUp', '{ ($.delivery = "failed") || ($.webhook = "disabled") }', [worker]),
      threshold: 1,
      harm: 'A resident did not receive an order, or a program of yours gets no events any more, and the service does not try again: a dispenser refused a delivery or did not answer for 14 days, or a webhook answered 410 or nothing but failures for 5 days.',
      act: `"npx store deliveries list --state failed --stage ${stage}" shows such deliveries and why: correct the cause, then run "npx store deliveries retry --all-failed --stage ${stage}". "npx store webhooks list --stage ${stage}" shows webhooks that are disabled: enable them; GET /v1/events has what they missed, for 30 days.`,
    },
    DeliveryWaiting: {
      metric: counted(scope, 'DeliveryWaiting', '{ $.delivery = "waiting" }', [worker]),
      threshold: 1,
      harm: 'A resident waits for a product, because the store’s dispenser does not answer or has no address. The delivery goes on when the dispenser registers, as it does after a restart of its region, and fails after 14 days.',
      act: `Run "npx store doctor --stage ${stage}", which names the store, and look whether its dispenser still stands. If it does, reset its script.`,
    },
    DeadLetters: {
      metric: data.deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period: fiveMinutes }),
      threshold: 1,
      harm: 'A resident may not receive an order: no worker could handle its message. SQS deletes the message 14 days after it was sent.',
      act: `"npx store deliveries dead-letters --stage ${stage}" shows it. Correct the cause, then run "npx store deliveries dead-letters --redrive --stage ${stage}".`,
    },
    WorkerFailing: {
      metric: counted(scope, 'WorkerFailing', '{ ($.delivery = "error") || ($.webhook = "error") }', [worker]).with({
        period: quarter,
      }),
      // SQS returns one message this number of times in the period. So a fault that is over sets no alarm off.
      threshold: Math.floor(quarter.toSeconds() / deliveryQueue.visibilitySeconds),
      harm: `${worker.harm} The worker has failed again and again for 15 minutes, because of a bug, the table or the queue. It tries again every 6 minutes, and after four days a message is a dead letter.`,
      act: 'The log shows the reason. After an update, deploy the earlier version.',
      log: { of: worker, pattern: 'ERROR' },
    },
    WorkerCrashing: {
      metric: worker.lambda.metricErrors({ statistic: 'Sum', period: fiveMinutes }),
      threshold: 1,
      harm: `${worker.harm} The worker crashed, or ran out of time or memory, in the middle of a batch. The messages of the batch come back after 6 minutes.`,
      act: 'The end of the log shows the reason. After an update, deploy the earlier version.',
      log: { of: worker },
    },
    // A message that waits for a worker is visible. A message that a worker has, or that waits for its next attempt, is
    // not. The age of the oldest message cannot be used: SQS leaves a message out of it from its third receive on.
    DeliveriesUnclaimed: {
      metric: data.queue.metricApproximateNumberOfMessagesVisible({ statistic: 'Minimum', period: fiveMinutes }),
      threshold: 1,
      periods: 3,
      harm: `${worker.harm} For 15 minutes there were always deliveries that no worker had claimed. The worker does not run, or orders arrive faster than dispensers give them.`,
      act: 'In Lambda, look whether the triggers of the function delivery-worker are enabled, and whether it is throttled: if so, request more "Concurrent executions". If it runs, raise deliveryConcurrency.',
    },
  };
};

const residentAlarms = ({ lookUp }: Watched): Record<string, AlarmFacts> => ({
  LookUpFailing: {
    metric: lookUp.lambda.metricErrors({ statistic: 'Sum', period: fiveMinutes }),
    // One in a hundred of the look-ups that one store may cause.
    threshold: fiveMinutesOf(lookUpsPerMinute / 60) / 100,
    harm: `${lookUp.harm} Calls about them are answered 404 or 400, because the function resident-lookup fails. Residents who are known already are not affected.`,
    act: 'The log shows the reason. After an update, deploy the earlier version.',
    log: { of: lookUp, pattern: 'ERROR' },
  },
});

const creditWriters = (endpoints: readonly Endpoint[]): ServiceFunction[] =>
  endpoints.filter(({ row }) => row.writes.includes('LOT')).map(({ fn }) => fn);

const creditAlarms = (
  scope: Construct,
  { sweep, endpoints, settings: { stage } }: Watched,
): Record<string, AlarmFacts> => ({
  SweepNotRun: {
    metric: sweep.lambda.metricInvocations({ statistic: 'Sum', period: fiveMinutes }),
    threshold: 1,
    periods: 3,
    below: true,
    alsoWhenMissing: true,
    harm: `${sweep.harm} The sweep has not run for 15 minutes. Nobody can spend expired credit, since every change closes due lots first.`,
    act: `In EventBridge Scheduler, enable the schedule of the function expiry-sweep, and in Lambda look whether it is throttled. Until it runs, "npx store sweep --stage ${stage}" does its work.`,
  },
  SweepFailing: {
    metric: sweep.lambda.metricErrors({ statistic: 'Sum', period: fiveMinutes }),
    // More than half of the sweep's runs, one a minute. A lasting fault fails every time.
    threshold: Math.ceil(fiveMinutes.toMinutes() / 2),
    harm: `${sweep.harm} A part of the sweep fails minute after minute, for all or for single sales or customers.`,
    act: 'The log shows the reason, with the sale under "unsent". Correct the cause; the next sweep does the rest.',
    log: { of: sweep, pattern: 'ERROR' },
  },
  InvariantBroken: {
    metric: counted(scope, 'Invariant', '{ $.invariant = * }', [sweep, ...creditWriters(endpoints)]),
    threshold: 1,
    harm: 'A customer may have more or less credit than they should: a balance and its lots disagree.',
    act: `Keep the log line, and stop changing this customer. "npx store audit --stage ${stage}" names the fault; compare with a restored copy of the table, then run "npx store credit repair --dry-run --stage ${stage}".`,
  },
});

const historyAlarms = ({ data, consumer, settings: { stage } }: Watched): Record<string, AlarmFacts> => ({
  // Each sweep writes a note, so the consumer is called every minute. Lambda has no IteratorAge of a stream that it
  // does not read.
  HistoryBehind: {
    metric: consumer.lambda.metric('IteratorAge', { statistic: 'Maximum', period: fiveMinutes }),
    threshold: fiveMinutes.toMilliseconds(),
    periods: 3,
    alsoWhenMissing: true,
    harm: `${consumer.harm} For 15 minutes the function stream-consumer was 5 minutes or more behind, or Lambda did not call it at all. After 20 hours Lambda gives changes up.`,
    log: { of: consumer, pattern: 'ERROR' },
    act: `If SweepNotRun is on, begin there. The log shows the reason. Without such lines, look in Lambda whether the function's trigger is enabled, and whether it is throttled. After 20 hours, run "npx store credit backfill --stage ${stage}" for each store.`,
  },
  HistoryFailures: {
    metric: data.historyFailures.metricApproximateNumberOfMessagesVisible({
      statistic: 'Maximum',
      period: fiveMinutes,
    }),
    threshold: 1,
    harm: `${consumer.harm} The function stream-consumer could not use a record of the table’s stream. The queue keeps the record for 14 days.`,
    log: { of: consumer, pattern: 'ERROR' },
    act: `The log shows the reason. Correct it, then send the record again, or run "npx store credit backfill --stage ${stage}": "The history of credit" in docs/operate/recover.md.`,
  },
});

const busAlarms = (scope: Construct, { bus }: Watched): Record<string, AlarmFacts> =>
  bus
    ? {
        EventBusBehind: {
          metric: bus.lambda.metric('IteratorAge', { statistic: 'Maximum', period: fiveMinutes }),
          threshold: fiveMinutes.toMilliseconds(),
          harm: `${bus.harm} They are 5 minutes or more behind. After 20 hours they would not reach the bus; GET /v1/events has them for 30 days.`,
          act: 'The log shows the reason. Often the bus of the setting eventBus does not exist: make it.',
          log: { of: bus, pattern: 'ERROR' },
        },
        EventBusRefused: {
          metric: counted(scope, 'EventBusRefused', '{ $.bus = "refused" }', [bus]),
          threshold: 1,
          harm: 'An event is missing on your event bus, which refused it for its form. Nothing else is affected.',
          act: 'The log shows which; GET /v1/events has it. Tell us: this is a bug.',
          log: { of: bus, pattern: 'refused' },
        },
      }
    : {};

const incrementAlarms = ({ increments }: Watched): Record<string, AlarmFacts> =>
  increments
    ? {
        IncrementsMissing: {
          // The share of runs that failed. The alarm goes off if all of them failed, or if there was none.
          metric: increments.lambda.metricErrors({ statistic: 'Average', period: Duration.hours(3) }),
          threshold: 1,
          alsoWhenMissing: true,
          harm: `${increments.harm} For three hours no increment of the table was asked for without a fault. Nothing else is affected.`,
          act: 'The log shows the reason. Often the bucket of the setting exportBucket does not let this account write. Without such lines, enable the hourly schedule in EventBridge Scheduler. The next increment has all changes since the last one.',
          log: { of: increments, pattern: 'ERROR' },
        },
      }
    : {};

const exportAlarms = ({ exports }: Watched): Record<string, AlarmFacts> =>
  exports
    ? {
        ExportRefused: {
          metric: exports.metricTargetErrors({ statistic: 'Sum', period: fiveMinutes }),
          threshold: 1,
          harm: 'The daily copy of the table is missing: DynamoDB refused to begin an export. Nothing else is affected.',
          act: 'Make the bucket of the setting exportBucket, or let its policy allow this account to write. "aws dynamodb list-exports" shows the last exports.',
        },
        ExportNotRun: {
          metric: exports.metricAttempts({ statistic: 'Sum', period: Duration.days(1) }),
          threshold: 1,
          periods: 2,
          below: true,
          alsoWhenMissing: true,
          harm: 'The daily copy of the table is missing: for two days nothing has asked DynamoDB for an export. Nothing else is affected.',
          act: 'In EventBridge Scheduler, enable the schedule of the exports.',
        },
      }
    : {};

export const alarmsOf = (scope: Construct, watched: Watched): Record<string, AlarmFacts> => ({
  ...apiAlarms(scope, watched),
  ...deskAlarms(scope, watched),
  ...tableAlarms(watched),
  ...deliveryAlarms(scope, watched),
  ...residentAlarms(watched),
  ...creditAlarms(scope, watched),
  ...historyAlarms(watched),
  ...busAlarms(scope, watched),
  ...exportAlarms(watched),
  ...incrementAlarms(watched),
});
