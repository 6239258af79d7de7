import type { DynamoDBRecord } from 'aws-lambda';
import { perProcess } from '../process.ts';
import { tableName } from '../table/client.ts';

/** The most ids in each of two sets, which then take about 20 MB. A shard has at most 1,000 records a second. */
const maxIds = 100_000;

/**
 * The ids of the records that this consumer processed last, for one table. If a batch comes back, its known records
 * need no look at the table. This only saves work: the table knows the rest. There are two sets, since finding the
 * oldest id of a single set is slow.
 */
const known = perProcess(() => ({ table: '', ids: new Set<string>(), earlier: new Set<string>() }));

/** True if this consumer knows that it has processed the record. */
export const isConsumed = ({ eventID = '' }: DynamoDBRecord): boolean => {
  const { table, ids, earlier } = known();
  return table === tableName() && (ids.has(eventID) || earlier.has(eventID));
};

/** Notes that everything that follows from these records is written. */
export const noteConsumed = (records: readonly DynamoDBRecord[]): void => {
  const table = tableName();
  const recent = known();
  if (recent.table !== table) Object.assign(recent, { table, ids: new Set(), earlier: new Set() });
  for (const { eventID } of records) if (eventID !== undefined) recent.ids.add(eventID);
  if (recent.ids.size > maxIds) Object.assign(recent, { ids: new Set(), earlier: recent.ids });
};
