import { partition } from '../table/keys.ts';
import type { Key } from '../table/schema.ts';
import type { CreditType, Undone } from './rules.ts';
import type { ChangeKind, Remarks } from './state.ts';

/**
 * The part of one lot in a change: negative for L$ that were taken, that expired or that a set superseded, positive for
 * L$ that were added.
 */
export interface LotPart {
  id: string;
  amount: number;
  expiresAt: string;
}

/** One change of a customer's credit of one type. The balances are those after the change. */
export interface HistoryRow extends Remarks {
  kind: ChangeKind;
  at: string;
  /** The balance of the type grew by `amount` less `expired`. */
  amount: number;
  expired: number;
  credit: number;
  restrictedCredit: number;
  /** The change of permanent credit, which is in no lot. */
  unlotted: number;
  requestId?: string;
  keyId?: string;
  saleId?: string;
  giftCardId?: string;
  /** Of an undo: the number of the change that it undoes. */
  undoes?: number;
}

/** The undo of a change. It is written once, in the undo's transaction; a repeated request gets it as its answer. */
export interface UndoMark extends Undone {
  at: string;
  /** The number of the undo's own change; null if nothing was left to undo. */
  sequence: number | null;
}

/**
 * A row of history as it is stored. The customer's stream record brings the row, and each lot's record brings its part.
 * The records come in any order. A row without `kind` has only parts so far.
 */
export interface HistoryItem extends Key, Partial<HistoryRow> {
  /** The first 200 parts, in the order of expiry, then of creation. */
  lots?: LotPart[];
  /** The `expiresAt` of the last part, if the change has more than 200 parts. The row holds the sum of the rest. */
  lastExpiresAt?: string;
  /**
   * The number of the stream's record that made the row, as `sequenceText`. The consumer counts this record in its day.
   * A row without a number was counted by its writer, such as a backfill.
   */
  record?: string;
  /**
   * The time of the change whose row was here. The row moved away when its customer was erased, so there is no `kind`.
   * The stream may bring this change or an earlier one again, but they must not make a row.
   */
  erased?: string;
  /** The parts of lots that moved away with rows that were here. The stream may bring these again too. */
  erasedLots?: LotPart[];
  /** The change of the row was undone. */
  undone?: UndoMark;
}

/** A row of history whose change is known. */
export type WholeRow = HistoryItem & HistoryRow;

export const isWholeRow = (row: HistoryItem): row is WholeRow => row.kind !== undefined;

/** The L$ of a change's lots that its row does not list: there are too many, or their parts have not come yet. */
export const restOfLots = ({
  amount,
  expired,
  unlotted,
  lots = [],
}: Pick<HistoryRow, 'amount' | 'expired' | 'unlotted'> & { lots?: readonly LotPart[] }): number =>
  lots.reduce((rest, part) => rest - part.amount, amount - expired - unlotted);

/** The most parts of lots that a row holds one by one. */
export const maxLotParts = 200;

export const historyPartition = (store: string, uuid: string, type: CreditType): string =>
  partition(store, 'HISTORY', `${uuid}#${type}`);

const digits = 12;

/** `sequence` counts the changes of one customer, from 1. */
export const historyKey = (store: string, uuid: string, type: CreditType, sequence: number): Key => ({
  pk: historyPartition(store, uuid, type),
  sk: String(sequence).padStart(digits, '0'),
});
