import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { now, source, timestamp } from '../clock.ts';
import { logSink } from '../log.ts';
import { db, findItem, indexes, sharedKey, tableName } from '../table/table.ts';
import { reconcileCredit } from './change.ts';
import { dueShards } from './state.ts';

/** What one sweep did. */
export interface SweepReport {
  /** Lots that it closed, and what remained in them, in L$. */
  lots: number;
  amount: number;
  /** Customers whom it failed for; they stay due, and the next sweep takes them up. */
  failed: number;
  /** Whether it came to the end of what was due; if not, the next sweep goes on. */
  finished: boolean;
}

const pageSize = 100;
const sideBySide = 10;

interface DueRow {
  pk: string;
  sk: string;
  due: string;
}

async function* duePages(shard: string, at: string): AsyncGenerator<DueRow[]> {
  const { partition, sort } = indexes.byDue;
  let after: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await db.send(
      new QueryCommand({
        TableName: tableName(),
        IndexName: 'byDue',
        KeyConditionExpression: '#partition = :shard AND #sort <= :at',
        ExpressionAttributeNames: { '#partition': partition, '#sort': sort },
        ExpressionAttributeValues: { ':shard': shard, ':at': at },
        Limit: pageSize,
        ExclusiveStartKey: after,
      }),
    );
    yield Items as DueRow[];
    after = LastEvaluatedKey;
  } while (after);
}

/**
 * Closes every credit lot that has come due, in all stores, by the same change that a write makes: so it may die
 * anywhere, run twice at once or meet a write. It stops when `mayGoOn` says so, and leaves the rest for the next run.
 */
export const sweepDueLots = async (by: string, mayGoOn: () => boolean = () => true): Promise<SweepReport> => {
  const report: SweepReport = { lots: 0, amount: 0, failed: 0, finished: true };
  const at = timestamp(now());
  const closeOf = async ({ pk, sk }: DueRow): Promise<void> => {
    try {
      const lots = await reconcileCredit(pk.slice(0, pk.indexOf('#')), sk, by);
      report.lots += lots.length;
      report.amount += lots.reduce((sum, { remaining }) => sum + remaining, 0);
    } catch (error) {
      report.failed += 1;
      logSink.write({ level: 'ERROR', sweep: by, stack: error instanceof Error ? error.stack : String(error) });
    }
  };
  // From anywhere on: what is left over when the time is up is not always the same customers.
  const first = Math.floor(source.random() * dueShards.length);
  for (const shard of [...dueShards.slice(first), ...dueShards.slice(0, first)])
    for await (const rows of duePages(shard, at))
      for (let i = 0; i < rows.length; i += sideBySide) {
        if (!mayGoOn()) return { ...report, finished: false };
        await Promise.all(rows.slice(i, i + sideBySide).map(closeOf));
      }
  return report;
};

/** The last sweep, and when it ended. */
export interface LastSweep extends SweepReport {
  at: string;
}

const lastKey = sharedKey('SWEEP', 'last');

/** Notes that a sweep has run: one small write each time, so that an operator can see that the schedule works. */
export const noteSweep = async (report: SweepReport): Promise<void> => {
  const last: LastSweep = { ...report, at: timestamp(now()) };
  await db.send(new PutCommand({ TableName: tableName(), Item: { ...lastKey, ...last } }));
};

/** Undefined where none has run yet. */
export const findLastSweep = async (): Promise<LastSweep | undefined> => {
  return findItem<LastSweep>(lastKey);
};

/** When the customer who has waited longest for a sweep came due; undefined where nobody is due. */
export const findOverdue = async (): Promise<string | undefined> => {
  const at = timestamp(now());
  const first = await Promise.all(dueShards.map(async (shard) => (await duePages(shard, at).next()).value?.[0]?.due));
  return first.filter((due) => due !== undefined).sort()[0];
};
