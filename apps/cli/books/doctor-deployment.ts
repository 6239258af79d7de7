import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { now } from '../../../lib/clock.ts';
import { findLastSweep, findOverdue } from '../../../lib/credit/sweep.ts';
import { queueDepth } from '../../../lib/operator/dead-letters.ts';
import { unsentSales } from '../../../lib/sale/sweep.ts';
import { db } from '../../../lib/table/client.ts';
import { indexes, streamView, ttlAttribute } from '../../../lib/table/schema.ts';
import type { Target } from '../deployment/target.ts';
import { counted } from '../terminal/output.ts';
import { type Finding, failIf, inWords, ok, warnIf } from './finding.ts';

/** The doctor's checks of a whole deployment. */

const redeploy = 'Deploy again: npx cdk deploy (docs/operate/deploy.md, "Update").';

const indexFaults = ({ GlobalSecondaryIndexes = [] }: TableDescription): string[] =>
  Object.entries(indexes).flatMap(([name, { partition, sort }]) => {
    const found = GlobalSecondaryIndexes.find(({ IndexName }) => IndexName === name);
    if (!found) return [`${name} is missing`];
    const keys = found.KeySchema?.map(({ AttributeName }) => AttributeName).join();
    if (keys !== [partition, sort].join()) return [`${name} has other keys`];
    return (found.IndexStatus ?? 'ACTIVE') === 'ACTIVE' ? [] : [`${name} is ${found.IndexStatus}`];
  });

export const checkTable = async ({ tableName }: Target): Promise<Finding[]> => {
  const { Table = {} } = await db.send(new DescribeTableCommand({ TableName: tableName }));
  const { TimeToLiveDescription: ttl } = await db.send(new DescribeTimeToLiveCommand({ TableName: tableName }));
  const status = Table.TableStatus ?? 'unknown';
  const faults = indexFaults(Table);
  const hasTtl = ttl?.TimeToLiveStatus === 'ENABLED' && ttl.AttributeName === ttlAttribute;
  return [
    failIf(
      'table',
      status !== 'ACTIVE' && [`${tableName} is ${status}`, 'Wait some minutes. If it stays so, see the AWS console.'],
      `${tableName} is active`,
    ),
    failIf(
      'indexes',
      faults.length > 0 && [
        faults.join(', '),
        `Lists will fail or miss rows. ${redeploy} A restored table needs its indexes restored too.`,
      ],
      `all ${Object.keys(indexes).length} are active`,
    ),
    warnIf(
      'clean-up',
      !hasTtl && ['expired rows are not deleted', 'Enable time to live (docs/operate/recover.md, "Restore", step 2).'],
      'expired rows are deleted',
    ),
  ];
};

/** Says whether a function is called with the records of a stream. */
const hasConsumer = async (EventSourceArn: string): Promise<boolean> => {
  const { LambdaClient, ListEventSourceMappingsCommand } = await import('@aws-sdk/client-lambda');
  const { EventSourceMappings = [] } = await new LambdaClient({}).send(
    new ListEventSourceMappingsCommand({ EventSourceArn }),
  );
  return EventSourceMappings.some(({ State }) => State === 'Enabled' || State === 'Enabling');
};

/** The service makes history from the table's stream. A restored table has no stream. */
export const checkStream = async ({ kind, tableName }: Target): Promise<Finding[]> => {
  const { Table = {} } = await db.send(new DescribeTableCommand({ TableName: tableName }));
  const { StreamSpecification: stream, LatestStreamArn } = Table;
  if (!stream?.StreamEnabled || stream.StreamViewType !== streamView || LatestStreamArn === undefined)
    return [
      failIf('stream', [
        'the table has none that holds both images of an item: no change enters the history of credit',
        'Enable it, and name it in restoredStream (docs/operate/recover.md, "Restore", steps 2 and 4).',
      ]),
    ];
  const isRead = kind === 'local' || (await hasConsumer(LatestStreamArn));
  const unread = 'no function reads it: no change enters the history of credit';
  return [failIf('stream', !isRead && [unread, redeploy], 'is read')];
};

/** The local service needs no backup. */
export const checkBackup = async ({ kind, tableName }: Target): Promise<Finding[]> => {
  if (kind === 'local') return [];
  const command = new DescribeContinuousBackupsCommand({ TableName: tableName });
  const { PointInTimeRecoveryDescription: recovery } = (await db.send(command)).ContinuousBackupsDescription ?? {};
  const isOff = recovery?.PointInTimeRecoveryStatus !== 'ENABLED';
  return [
    warnIf(
      'backup',
      isOff && ['there is none', 'Enable continuous backups (docs/operate/recover.md, "Restore", step 2).'],
      'continuous',
    ),
  ];
};

/** A new account has a quota of ten. A page with a few parallel calls, the worker and the sweep together reach it. */
const fewFunctions = 100;

/** Warns if few functions may run at once in this account and region. Reserved functions do not count. */
export const checkQuota = async ({ kind }: Target): Promise<Finding[]> => {
  if (kind === 'local') return [];
  // Loaded only here: a command on the local service starts faster without it.
  const { GetAccountSettingsCommand, LambdaClient } = await import('@aws-sdk/client-lambda');
  const { AccountLimit } = await new LambdaClient({}).send(new GetAccountSettingsCommand({}));
  const limit = AccountLimit?.UnreservedConcurrentExecutions ?? 0;
  const detail = `${limit} functions may run at once`;
  return [
    warnIf(
      'quota',
      limit < fewFunctions && [
        `${detail}; calls beyond that answer 503`,
        'Request 1000 in Service Quotas, AWS Lambda, "Concurrent executions". It is free.',
      ],
      detail,
    ),
  ];
};

const manyMessages = 1000;

/**
 * No alarm watches this queue. If a webhook fails for five days, the service disables it, and an alarm tells of that.
 */
export const checkSlowQueue = async ({ kind }: Target): Promise<Finding[]> => {
  // The local service has one worker for both queues.
  if (kind === 'local') return [];
  const { visible } = await queueDepth(process.env.SLOW_QUEUE_URL);
  const depth = `${visible} events for webhooks that fail or answer slowly, to be taken up`;
  const fix = 'See which webhooks fail, and delete those that nobody needs: store webhooks list';
  return [warnIf('slow queue', visible >= manyMessages && [depth, fix], depth)];
};

export const checkQueues = async (): Promise<Finding[]> => {
  const { DELIVERY_QUEUE_URL, DELIVERY_DLQ_URL } = process.env;
  const [queue, dead] = await Promise.all([DELIVERY_QUEUE_URL, DELIVERY_DLQ_URL].map(queueDepth));
  const { visible = 0, inFlight = 0 } = queue ?? {};
  const letters = (dead?.visible ?? 0) + (dead?.inFlight ?? 0);
  const depth = `${visible} deliveries to be taken up, ${inFlight} under way or waiting for a retry`;
  return [
    warnIf(
      'queue',
      visible >= manyMessages && [depth, 'See whether the worker fails or a dispenser hangs: store deliveries list'],
      depth,
    ),
    warnIf(
      'dead letters',
      letters > 0 && [
        `${counted(letters, 'message')} could not be handled`,
        'Read them, and fix the cause: store deliveries dead-letters',
      ],
      'none',
    ),
  ];
};

const sweepLateMillis = 5 * 60_000;

export const checkSweep = async ({ kind }: Target): Promise<Finding[]> => {
  const [last, overdue] = await Promise.all([findLastSweep(), findOverdue()]);
  const ago = last && now() - Date.parse(last.at);
  const ran = ago === undefined ? 'none has run yet' : `the last one was ${inWords(ago)} ago`;
  const due = overdue ? `credit has been due for ${inWords(now() - Date.parse(overdue))}` : 'nothing is due';
  const detail = `${ran}; ${due}`;
  if (kind === 'local') {
    const note = `${detail} (here it runs only when asked)`;
    return [warnIf('sweep', overdue !== undefined && [note, 'Close the expired credit: store sweep'], note)];
  }
  if (ago === undefined || ago > sweepLateMillis)
    return [
      failIf('sweep', [
        detail,
        'It should run every minute: see its schedule in EventBridge Scheduler. To run it by hand: store sweep',
      ]),
    ];
  const failed = last?.failed ?? 0;
  return [
    failIf(
      'sweep',
      failed > 0 && [`${detail}; it failed for ${counted(failed, 'customer')}`, 'See its log and store audit.'],
      detail,
    ),
  ];
};

/** Within two minutes, the sweep orders deliveries that the stream's consumer has missed. */
const unsentMillis = 2 * 60_000;
const unsentLongMillis = 10 * 60_000;
const manySales = 1000;

/** Reports completed sales that no sweep has looked at and whose delivery no worker has begun. */
export const checkUnsent = async (): Promise<Finding[]> => {
  const times: string[] = [];
  for await (const sales of unsentSales()) {
    times.push(...sales.map(({ at }) => at).filter((at) => Date.parse(at) <= now() - unsentMillis));
    if (times.length >= manySales) break;
  }
  const [oldest] = times.toSorted();
  if (oldest === undefined) return [ok('sales', 'the deliveries of all sales are ordered')];
  const ago = now() - Date.parse(oldest);
  const count = times.length < manySales ? counted(times.length, 'sale') : `${manySales} or more sales`;
  const detail = `${count} without a delivery, the oldest made ${inWords(ago)} ago (${oldest})`;
  const fix =
    'Order them: store sweep. If they stay, the queue takes nothing: see the logs of the consumer and of the sweep.';
  return [(ago > unsentLongMillis ? failIf : warnIf)('sales', [detail, fix])];
};

const skewMillis = 5000;

const clockFix =
  'Set this computer’s clock: AWS refuses calls from a clock that is 5 minutes off, and the expiry of keys depends on it.';

/**
 * It has the form of a key, so a firewall lets it pass. Its checksum is wrong, so the authorizer refuses it without
 * reading the table.
 */
const noKey = `sis_live_${'0'.repeat(12)}_${'0'.repeat(49)}`;

/** Calls the API with a wrong key, so that no table is read. Checks that the API answers, and compares the clocks. */
export const checkApi = async ({ kind, baseUrl }: Target): Promise<Finding[]> => {
  const asked = Date.now();
  const response = await fetch(`${baseUrl}/v1/categories`, {
    headers: { 'X-API-Key': noKey },
    signal: AbortSignal.timeout(10_000),
  });
  const heard = Date.now();
  const api = failIf(
    'api',
    response.status !== 401 && [`${baseUrl} answers ${response.status} instead of 401`, redeploy],
    `${baseUrl} answers`,
  );
  const moved = now() - Date.now();
  if (kind === 'local') {
    const detail = moved > 1000 ? `the local service's was moved ${inWords(moved)} ahead` : 'the same machine';
    return [api, ok('clock', detail)];
  }
  // The header leaves out fractions of a second. Half a second is the best guess.
  const skew = (asked + heard) / 2 - (Date.parse(response.headers.get('date') ?? '') + 500);
  if (Number.isNaN(skew))
    return [api, warnIf('clock', ['the API does not tell its time', 'Compare this clock with another.'])];
  const detail = `${inWords(skew)} ${skew > 0 ? 'ahead of' : 'behind'} the API's`;
  const isOff = Math.abs(skew) >= skewMillis;
  return [api, warnIf('clock', isOff && [detail, clockFix], `within ${skewMillis / 1000} seconds of the API's`)];
};
