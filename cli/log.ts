import { now, timestamp } from '../lib/clock.ts';
import { merged, type Source } from '../lib/lists/source.ts';
import { put, type Write } from '../lib/table/language.ts';
import { type Key, sharedKey, ttlAttribute } from '../lib/table/schema.ts';
import { newStamp } from '../lib/table/stamp.ts';
import { rowsOf } from '../lib/table/table.ts';
import type { Target } from './target.ts';

/** The operator's log: who changed what by this command. The changes that API keys make are not in it. */

type Action =
  | 'store.created'
  | 'store.closed'
  | 'store.opened'
  | 'store.deleted'
  | 'key.issued'
  | 'key.rotated'
  | 'key.revoked'
  | 'key.ended'
  | 'dispenser.rotated'
  | 'webhook.created'
  | 'webhook.changed'
  | 'webhook.rotated'
  | 'webhook.deleted'
  | 'resident.added'
  | 'resident.name_moved'
  | 'resident.erased'
  | 'import.began'
  | 'import.ended'
  | 'credit.repaired'
  | 'credit.backfilled'
  | 'giftcard.redeemed'
  | 'sale.refunded'
  | 'product.redelivered';

export interface LogRow {
  at: string;
  /** The ARN of an AWS identity, or `user` and the name that the machine has for them. */
  by: string;
  action: Action;
  /** The store's id; null for what concerns all stores. */
  store: string | null;
  /** The facts of the change, never with a secret. */
  details: Readonly<Record<string, unknown>>;
}

/** The writes of a row of the log. They belong into the transaction of the change, where it is one. */
export type Log = (action: Action, store: string | null, details: LogRow['details']) => Write[];

const everything = '';
const ofAllStores = 'ALL';

const partitionOf = (part: string): string => sharedKey('LOG', part).pk;

const dayMillis = 86_400_000;

/** The time at which DynamoDB may delete a row, where the deployment says so. */
const endOfLife = (): Record<string, number> => {
  const days = Number(process.env.OPERATOR_LOG_DAYS ?? 0);
  return days > 0 ? { [ttlAttribute]: Math.ceil((now() + days * dayMillis) / 1000) } : {};
};

/**
 * Opens the log for one command. Each row stands in two partitions, that of all rows and that of its store: both are read
 * by key, and neither goes with a store that is deleted.
 */
export const openLog = async (target: Target): Promise<Log> => {
  const by = await target.operator();
  return (action, store, details) => {
    const at = timestamp(now());
    // A stamp sorts after those before it, so that rows of one millisecond keep their order.
    const sk = `${at}#${newStamp()}`;
    const row: LogRow = { at, by, action, store, details };
    return [everything, store ?? ofAllStores].map((part) => put({ pk: partitionOf(part), sk, ...row, ...endOfLife() }));
  };
};

/** The rows about an avatar among those of a store, or of what concerns all stores: both copies of each. */
export const rowsAbout = async (uuid: string, store: string | null): Promise<(LogRow & Key)[]> => {
  const parts = [everything, store ?? ofAllStores];
  const rows = await Promise.all(
    parts.map((part) => rowsOf<LogRow & Key>({ partition: partitionOf(part) })({ descending: false })),
  );
  return rows.flat().filter((row) => row.store === store && JSON.stringify(row.details).includes(uuid));
};

/** True if the log has a row of a store, which may be deleted since. */
export const hasLog = async (store: string): Promise<boolean> =>
  (await rowsOf({ partition: partitionOf(store) })({ descending: false, limit: 1 })).length > 0;

/** The rows of the log from a time on: all, or those of a store and those that concern all stores. */
export const logRows = (store: string | undefined, since: string | undefined): Source<LogRow & Key> => {
  const parts = store === undefined ? [everything] : [store, ofAllStores];
  const sources = parts.map((part) => rowsOf<LogRow & Key>({ partition: partitionOf(part), first: since }));
  return merged(sources, ({ sk }) => sk);
};
