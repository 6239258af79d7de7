import type { HistoryRow } from '../credit/history.ts';
import { type DaySums, dayKey, dayOf, plus } from '../events/days.ts';
import { type RowTask, rowsTogether, writeRowsTogether } from '../events/history.ts';
import { update, type Write } from '../table/language.ts';

/** A row of history whose record the stream has lost, with what it adds to the sums of its day. */
export interface LostRow extends RowTask {
  /** They name no record. So if their record comes after all, the consumer knows that they are counted. */
  facts: HistoryRow;
  sums: DaySums;
}

/** A transaction holds 100 items: the rows of one transaction, and at most this many days. */
const maxDays = 10;

/** The writes that count rows in the sums of their days. A row that has its facts is counted already. */
const dayWrites = (store: string, rows: readonly LostRow[]): Write[] => {
  const days = new Map<string, DaySums>();
  for (const { facts, sums } of rows) {
    const day = facts && dayOf(facts.at);
    if (day) days.set(day, plus(days.get(day) ?? {}, sums));
  }
  return [...days].flatMap(([day, sums]) =>
    Object.keys(sums).length > 0 ? [update(dayKey(store, day), { add: sums as Record<string, number> })] : [],
  );
};

/** Cuts rows into groups, one for each transaction. */
const cut = (rows: readonly LostRow[]): LostRow[][] => {
  const chunks: LostRow[][] = [];
  let days = new Set<string>();
  for (const row of rows) {
    const last = chunks.at(-1);
    days.add(dayOf(row.facts.at));
    if (last && last.length < rowsTogether && days.size <= maxDays) last.push(row);
    else {
      chunks.push([row]);
      days = new Set([dayOf(row.facts.at)]);
    }
  }
  return chunks;
};

/**
 * Writes rows of a store that the stream will not bring any more. Each is counted in its day once, together with the
 * write of its row.
 */
export const writeLostRows = async (store: string, rows: readonly LostRow[]): Promise<void> => {
  for (const together of cut(rows)) await writeRowsTogether(together, (left) => dayWrites(store, left));
};
