import { newId, now, timestamp } from '../clock.ts';
import { sharedKey } from '../table/keys.ts';
import { put, type Write } from '../table/language.ts';
import { ttlAttribute } from '../table/schema.ts';
import { transact } from '../table/table.ts';

/**
 * The operator's log: who changed what with the command `store`, and what keys did to keys. It does not hold other
 * changes that API keys make.
 */

type Action =
  | 'store.created'
  | 'store.closed'
  | 'store.opened'
  | 'store.deleted'
  | 'key.issued'
  | 'key.accepted'
  | 'key.changed'
  | 'key.rotated'
  | 'key.revoked'
  | 'key.ended'
  | 'dispenser.rotated'
  | 'dispenser.removed'
  | 'webhook.created'
  | 'webhook.changed'
  | 'webhook.rotated'
  | 'webhook.deleted'
  | 'vendor.product_set'
  | 'vendor.removed'
  | 'resident.added'
  | 'resident.name_moved'
  | 'resident.erased'
  | 'import.began'
  | 'import.ended'
  | 'credit.given'
  | 'credit.taken_back'
  | 'credit.repaired'
  | 'credit.backfilled'
  | 'days.recounted'
  | 'giftcard.redeemed'
  | 'sale.refunded'
  | 'payouts.begun'
  | 'payouts.resumed'
  | 'payouts.repaired'
  | 'payout.paid'
  | 'payout.settled'
  | 'product.redelivered'
  | 'product.sent'
  | 'products.set'
  | 'products.put_back';

export interface LogRow {
  at: string;
  /** The ARN of an AWS identity, `user` and the name that the machine has for them, or `key` and the id of a key. */
  by: string;
  action: Action;
  /** The store's id; null for what concerns all stores. */
  store: string | null;
  /** The facts of the change, never with a secret. */
  details: Readonly<Record<string, unknown>>;
}

/** The writes of a row of the log. If the change is a transaction, they belong into it. */
export type Log = (action: Action, store: string | null, details: LogRow['details']) => Write[];

export const everything = '';
export const ofAllStores = 'ALL';

export const logPartition = (part: string): string => sharedKey('LOG', part).pk;

const dayMillis = 86_400_000;

/** The time at which DynamoDB may delete a row, if the deployment sets one. */
const endOfLife = (): Record<string, number> => {
  const days = Number(process.env.OPERATOR_LOG_DAYS ?? 0);
  return days > 0 ? { [ttlAttribute]: Math.ceil((now() + days * dayMillis) / 1000) } : {};
};

/**
 * Makes the log's rows for one person or key. Each row is in two partitions, one for all rows and one for its store.
 * Both are read by key, and stay when a store is deleted.
 */
export const logOf =
  (by: string): Log =>
  (action, store, details) => {
    const at = timestamp(now());
    // The key sorts after all earlier ones, so that rows of one millisecond keep their order.
    const sk = `${at}#${newId()}`;
    const row: LogRow = { at, by, action, store, details };
    return [everything, store ?? ofAllStores].map((part) =>
      put({ pk: logPartition(part), sk, ...row, ...endOfLife() }),
    );
  };

/** Writes only rows of the log, before or after an act of many transactions. */
export const noteInLog = async (rows: readonly Write[]): Promise<void> => {
  await transact(rows);
};
