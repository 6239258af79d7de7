import { merged, type Source } from '../../../lib/lists/source.ts';
import {
  everything,
  type Log,
  type LogRow,
  logOf,
  logPartition,
  ofAllStores,
} from '../../../lib/store/operator-log.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { rowsOf } from '../../../lib/table/table.ts';
import type { Target } from './target.ts';

/** Opens the operator's log for the person who runs the command. */
export const openLog = async (target: Target): Promise<Log> => logOf(await target.operator());

/**
 * The rows with an avatar's UUID as a value, with both copies of each: rows of one store or, for null, rows that
 * concern all stores. A text that only contains the UUID, such as the name of a key, is not about them.
 */
export const rowsAbout = async (uuid: string, store: string | null): Promise<(LogRow & Key)[]> => {
  const parts = [everything, store ?? ofAllStores];
  const rows = await Promise.all(
    parts.map((part) => rowsOf<LogRow & Key>({ partition: logPartition(part) })({ descending: false })),
  );
  return rows.flat().filter((row) => row.store === store && JSON.stringify(row.details).includes(JSON.stringify(uuid)));
};

/** True if the log has a row of a store. The store itself may be deleted. */
export const hasLog = async (store: string): Promise<boolean> =>
  (await rowsOf({ partition: logPartition(store) })({ descending: false, limit: 1 })).length > 0;

/**
 * Lists rows of the log from a time on: all rows or, if a store is given, its rows and the rows that concern all
 * stores.
 */
export const logRows = (store: string | undefined, since: string | undefined): Source<LogRow & Key> => {
  const parts = store === undefined ? [everything] : [store, ofAllStores];
  const sources = parts.map((part) => rowsOf<LogRow & Key>({ partition: logPartition(part), first: since }));
  return merged(sources, ({ sk }) => sk);
};
