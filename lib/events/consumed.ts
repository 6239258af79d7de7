import type { DynamoDBRecord } from 'aws-lambda';
import { tableName } from '../table/client.ts';

/** Twice as many ids of records take about 20 MB. A shard has at most 1,000 records a second. */
const maxIds = 100_000;

/**
 * The ids of the records of one table that this consumer was done with last: a batch that comes back needs no look at the
 * table. It is only a saving, since what it does not know the table does. Two sets, as the oldest id of one is found slowly.
 */
let recent = { table: '', ids: new Set<string>(), earlier: new Set<string>() };

/** True if this consumer knows that it is done with the record. */
export const isConsumed = ({ eventID = '' }: DynamoDBRecord): boolean =>
  recent.table === tableName() && (recent.ids.has(eventID) || recent.earlier.has(eventID));

/** Notes that all that records tell of is written. */
export const noteConsumed = (records: readonly DynamoDBRecord[]): void => {
  const table = tableName();
  if (recent.table !== table) recent = { table, ids: new Set(), earlier: new Set() };
  for (const { eventID } of records) if (eventID !== undefined) recent.ids.add(eventID);
  if (recent.ids.size > maxIds) recent = { table, ids: new Set(), earlier: recent.ids };
};
