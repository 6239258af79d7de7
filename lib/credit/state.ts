import { createHash } from 'node:crypto';
import { type CustomerCredit, changeKinds } from '../routes/credit.ts';
import type { CustomerItem } from '../store/customers.ts';
import type { Cause, Pending } from './lots.ts';
import type { CreditCommand, CreditType, Holding } from './rules.ts';

/** Where a customer's item keeps the holding of each credit type. */
export const attributes = {
  regular: {
    balance: 'credit',
    unlotted: 'creditUnlotted',
    lots: 'creditLots',
    due: 'creditDue',
    epoch: 'creditEpoch',
    newest: 'creditNewest',
  },
  restricted: {
    balance: 'restrictedCredit',
    unlotted: 'restrictedUnlotted',
    lots: 'restrictedLots',
    due: 'restrictedDue',
    epoch: 'restrictedEpoch',
    newest: 'restrictedNewest',
  },
} as const satisfies Record<CreditType, Record<keyof Holding | 'epoch' | 'newest', string>>;

interface ImportedRow {
  id: string;
  amount: number;
}

export { changeKinds };
export type ChangeKind = (typeof changeKinds)[number];

/** The texts of a request about its change: both absent where they were empty. */
export interface Remarks {
  reason?: string | undefined;
  reference?: string | undefined;
}

/**
 * The change that a customer's credit saw last, in the attribute `lastChange` of their item. Each change overwrites it. The
 * stream's consumer makes the rows of history from it and from the balances before and after.
 */
export interface LastChange extends Remarks {
  kind: ChangeKind;
  at: string;
  /**
   * The types of credit that changed, with the L$ that came due in the same change, if any. The last has the number
   * `creditVersion` in history, the one before it the number before.
   */
  types: { type: CreditType; expired?: number }[];
  /** The request, where a request of an API key made the change, and the key's id. */
  requestId?: string;
  keyId?: string;
  saleId?: string;
  giftCardId?: string;
}

/** A customer's item as the credit rules see it. */
export interface CreditItem extends CustomerItem {
  creditUnlotted?: number;
  creditLots?: number;
  creditDue?: string;
  creditEpoch?: string;
  /** The sort key of the lot that was added last. */
  creditNewest?: string;
  restrictedUnlotted?: number;
  restrictedLots?: number;
  restrictedDue?: string;
  restrictedEpoch?: string;
  restrictedNewest?: string;
  /** Goes up by one with every change of credit of one type, so by two where a sale or refund changes both. */
  creditVersion?: number;
  lastChange?: LastChange;
  /**
   * The version up to which nothing but imports has changed the credit: while it is `creditVersion`, the store itself has
   * never touched it, and more may be imported.
   */
  importedVersion?: number;
  /** The row of an import that set the unlotted credit, of each type. */
  importedCredit?: ImportedRow;
  importedRestricted?: ImportedRow;
  /** The part of an earlier, large change that is still to be written. */
  pending?: Pending;
  /** The shard of the index of customers by due time, and the time: the earlier of both types'. */
  dues?: string;
  due?: string;
}

export const holdingOf = (item: CreditItem, type: CreditType): Holding => {
  const { balance, unlotted, lots, due } = attributes[type];
  const next = item[due];
  return {
    balance: item[balance] ?? 0,
    unlotted: item[unlotted] ?? 0,
    lots: item[lots] ?? 0,
    ...(next !== undefined && { due: next }),
  };
};

export const otherType = (type: CreditType): CreditType => (type === 'regular' ? 'restricted' : 'regular');

const shards = 8;

const shardName = (shard: number): string => `CUSTOMER#DUE#${shard}`;

/** The partitions of the index of customers by due time: several, since all stores share it. */
export const dueShards: readonly string[] = Array.from({ length: shards }, (_, shard) => shardName(shard));

export const dueShardOf = (uuid: string): string =>
  shardName((createHash('sha256').update(uuid).digest()[0] ?? 0) % shards);

export const creditOf = ({ sk, username, credit = 0, restrictedCredit = 0 }: CreditItem): CustomerCredit => ({
  uuid: sk,
  username,
  credit,
  restrictedCredit,
});

/** A change of one customer's credit of one type, by a request. */
export interface Change {
  store: string;
  uuid: string;
  type: CreditType;
  command: CreditCommand;
  cause: Cause;
  /** False once there is no time left to close due lots, or to settle a pending change. */
  mayGoOn: () => boolean;
}

/** The largest balance that set and increment may make. */
export const creditLimit = (): number => Number(process.env.CREDIT_LIMIT ?? 1_000_000_000);
