import { now, source, timestamp } from '../clock.ts';
import { logSink } from '../log.ts';
import { Problem } from '../problem.ts';
import { followRenames } from '../store/renames.ts';
import { sharedKey, storeOf } from '../table/keys.ts';
import { put } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { get, pagesOf, write } from '../table/table.ts';
import { reconcileCredit } from './change.ts';
import { dueShards } from './state.ts';

/** The due lots that one sweep closed. */
interface ClosedLots {
  /** Lots that it closed, and what remained in them, in L$. */
  lots: number;
  amount: number;
  /** Customers and residents for whom it failed. They stay due, and the next sweep takes them up. */
  failed: number;
  /** True if it closed everything that was due; if not, the next sweep goes on. */
  finished: boolean;
}

/** The work of one sweep. */
export interface SweepReport extends ClosedLots {
  /** Renamed residents, whose name it replaced in the items of stores. */
  renamed: number;
}

const pageSize = 100;
const sideBySide = 10;

interface DueRow extends Key {
  due: string;
}

/** Many customers may come due at one moment. So the next page begins behind a row, not behind a time. */
const duePages = (shard: string, at: string): AsyncGenerator<DueRow[]> =>
  pagesOf<DueRow>({ partition: shard, index: 'byDue', last: at }, pageSize);

/** The longest time that one customer may take before all others have had their turn. */
const turnMillis = 2000;

/**
 * Closes every credit lot that has come due, in all stores, by the same change that a write makes: so it may die
 * anywhere, run twice at once or meet a write. Customers with very many due lots come last. It stops when `hasTime`
 * says that no time is left, and leaves the rest for the next run.
 */
export const sweepDueLots = async (by: string, hasTime: () => boolean = () => true): Promise<ClosedLots> => {
  const report: ClosedLots = { lots: 0, amount: 0, failed: 0, finished: true };
  const at = timestamp(now());
  const late: DueRow[] = [];
  const closeOf = async (row: DueRow, isInTime: () => boolean): Promise<boolean> => {
    try {
      const done = await reconcileCredit(storeOf(row), row.sk, by, isInTime);
      report.lots += done.lots;
      report.amount += done.amount;
      return done.isFinished;
    } catch (error) {
      // The customer's time may run out in the middle of a change.
      if (!isInTime() && error instanceof Problem && error.status === 503) return false;
      report.failed += 1;
      logSink.write({ level: 'ERROR', sweep: by, stack: error instanceof Error ? error.stack : String(error) });
      return true;
    }
  };
  // It begins with a random shard, so that the customers who are left when the time is up are not always the same.
  const first = Math.floor(source.random() * dueShards.length);
  for (const shard of [...dueShards.slice(first), ...dueShards.slice(0, first)])
    for await (const rows of duePages(shard, at))
      for (let i = 0; i < rows.length; i += sideBySide) {
        if (!hasTime()) return { ...report, finished: false };
        const turnEnd = now() + turnMillis;
        const closing = rows.slice(i, i + sideBySide).map(async (row) => {
          if (!(await closeOf(row, () => hasTime() && now() < turnEnd))) late.push(row);
        });
        await Promise.all(closing);
      }
  for (const row of late) report.finished = (await closeOf(row, hasTime)) && report.finished;
  return report;
};

/** The last sweep, and when it ended. */
export interface LastSweep extends SweepReport {
  at: string;
}

const lastKey = sharedKey('SWEEP', 'last');

/** A sweep that has ended. */
interface SweepResult {
  report: SweepReport;
  /** The errors of its parts that failed as a whole. */
  errors: unknown[];
}

/** The longest time that renames may take. After an import there are many, which would make each sweep long. */
const renameMillis = 10_000;

const resultOf = <T>(part: PromiseSettledResult<T>): T | undefined =>
  part.status === 'fulfilled' ? part.value : undefined;

/**
 * Does all work of a sweep: closes due lots, follows renames, and does the work of `others`. All run side by side: none
 * waits for another that hangs, and each may fail by itself. The sweep notes that it has run, with one small write each
 * time, so that an operator can see that the schedule works.
 */
export const sweep = async (
  by: string,
  hasTime: () => boolean = () => true,
  others: readonly (() => Promise<unknown>)[] = [],
): Promise<SweepResult> => {
  const end = performance.now() + renameMillis;
  const closing = sweepDueLots(by, hasTime);
  const following = followRenames(by, () => hasTime() && performance.now() < end);
  const working = Promise.allSettled(others.map((work) => work()));
  const [lots, renames] = await Promise.allSettled([closing, following]);
  const closed = resultOf(lots) ?? { lots: 0, amount: 0, failed: 0, finished: false };
  const followed = resultOf(renames) ?? { renamed: 0, failed: 0, finished: false };
  const report = {
    ...closed,
    renamed: followed.renamed,
    failed: closed.failed + followed.failed,
    finished: closed.finished && followed.finished,
  };
  const last: LastSweep = { ...report, at: timestamp(now()) };
  await write(put({ ...lastKey, ...last }));
  const errors = [lots, renames, ...(await working)].flatMap((part) => (part.status === 'rejected' ? part.reason : []));
  return { report, errors };
};

/** Undefined if none has run yet. */
export const findLastSweep = (): Promise<LastSweep | undefined> => get<LastSweep>(lastKey);

/** When the customer who has waited longest for a sweep came due; undefined if nobody is due. */
export const findOverdue = async (): Promise<string | undefined> => {
  const at = timestamp(now());
  const first = await Promise.all(dueShards.map(async (shard) => (await duePages(shard, at).next()).value?.[0]?.due));
  return first.filter((due) => due !== undefined).sort()[0];
};
