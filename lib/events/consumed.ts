import type { DynamoDBRecord } from 'aws-lambda';
import { ofProcess } from '../process.ts';
import { tableName } from '../table/client.ts';

/** Twice as many ids of records take about 20 MB. A shard has at most 1,000 records a second. */
const maxIds = 100_000;

/**
 * The ids of the records of one table that this consumer was done with last: a batch that comes back needs no look at
 * the table. It is only a saving, since what it does not know the table does. Two sets, as the oldest id of one is
 * found slowly.
 */
const known = ofProcess(() => ({ table: '', ids: new Set<string>(), earlier: new Set<string>() }));

/** True if this consumer knows that it is done with the record. */
export const isConsumed = ({ eventID = '' }: DynamoDBRecord): boolean => {
  const { table, ids, earlier } = known();
  return table === tableName() && (ids.has(eventID) || earlier.has(eventID));
};

/** Notes that all that records tell of is written. */
export const noteConsumed = (records: readonly DynamoDBRecord[]): void => {
  const table = tableName();
  const recent = known();
  if (recent.table !== table) Object.assign(recent, { table, ids: new Set(), earlier: new Set() });
  for (const { eventID } of records) if (eventID !== undefined) recent.ids.add(eventID);
  if (recent.ids.size > maxIds) Object.assign(recent, { ids: new Set(), earlier: recent.ids });
};
