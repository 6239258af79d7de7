import { checkpointsSeen, countInDays, type DayCount, dayOf } from './days.ts';
import { type RowOutcome, recordRows } from './history.ts';
import type { Contribution, RowContribution } from './records.ts';

/** Contributions of a record, and the record's place in its shard: `sequenceText` of its number. */
export interface RecordContributions {
  contributions: readonly Contribution[];
  sequence: string;
}

interface CountOfRecord<T> extends DayCount {
  of: T;
  isMade: boolean;
}

/** The counts of a record. None if another writer made its row, such as a backfill, which counted the row itself. */
const countsOf = <T extends RecordContributions>(
  of: T,
  outcomeOf: (row: RowContribution) => RowOutcome,
): CountOfRecord<T>[] =>
  of.contributions.flatMap((one) => {
    const { isMade = false, isOfRecord = true }: Partial<RowOutcome> = one.row ? outcomeOf(one.row) : {};
    return one.count && isOfRecord ? [{ ...one.count, sequence: of.sequence, of, isMade }] : [];
  });

/**
 * Makes history from records of a store that all come from one shard, then counts the records that `mayCount` in its
 * days. Rows come first: if a consumer dies in between, the records come back and are counted then. Answers the records
 * that made a row although their day's checkpoint had passed them before: no day has counted these. Throws if the table
 * refuses a part.
 */
export const record = async <T extends RecordContributions>(
  store: string,
  shard: string,
  records: readonly T[],
  mayCount: (one: T) => boolean,
): Promise<T[]> => {
  const contributions = records.flatMap((one) => one.contributions);
  const days = contributions.flatMap(({ row, count }) => (row?.facts && count ? dayOf(count.at) : []));
  const checkpoint = await checkpointsSeen(store, shard, [...new Set(days)]);
  const outcomeOf = await recordRows(contributions.flatMap((one) => one.row ?? []));
  const counts = records.filter(mayCount).flatMap((one) => countsOf(one, outcomeOf));
  const earlier = await countInDays(store, shard, counts);
  const isLate = ({ at, sequence, isMade }: CountOfRecord<T>): boolean => isMade && sequence <= checkpoint(dayOf(at));
  return [...new Set(earlier.filter(isLate).map(({ of }) => of))];
};
