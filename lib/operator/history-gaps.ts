import { now, timestamp } from '../clock.ts';
import { type HistoryRow, historyKey } from '../credit/history.ts';
import { type CreditLot, lotType } from '../credit/lot.ts';
import { type CreditType, creditTypes } from '../credit/rules.ts';
import { type CreditItem, holdingOf, lastChangeOf } from '../credit/state.ts';
import { sumsOfRow } from '../events/days.ts';
import type { RecordedChange } from './audit-history.ts';
import type { LostRow } from './lost-rows.ts';

/** The numbers that a customer's history lacks, and the rows of kind `unrecorded` that a backfill writes for them. */

/** The stream keeps a record for a day. While a record is there, the consumer may still make a missing row. */
const streamMillis = 24 * 3_600_000;

/** The stream will bring no change that was made before this time. */
export const streamEnd = (): string => timestamp(now() - streamMillis);

/** L$ of each type. */
export type Amounts = Record<CreditType, number>;

export const amountsBy = (amountOf: (type: CreditType) => number): Amounts => ({
  regular: amountOf('regular'),
  restricted: amountOf('restricted'),
});

/** Rows that a customer's history gets, from number `first` to `last`, and the L$ by which each type grows in them. */
export interface AddedRows extends Amounts {
  kind: 'opening' | 'unrecorded' | 'parts';
  first: number;
  last: number;
}

/** Numbers without a row, one after the other. */
export interface Gap extends AddedRows {
  /** The balances before it. */
  before: Amounts;
  /** The L$ by which the permanent credit of each type changes in it. */
  unlotted: Amounts;
  /** The time of the change after it. Its own time is unknown. */
  at: string;
}

export const balancesOf = ({
  credit = 0,
  restrictedCredit = 0,
}: Pick<CreditItem, 'credit' | 'restrictedCredit'>): Amounts => ({ regular: credit, restricted: restrictedCredit });

const balancesBefore = (change: RecordedChange): Amounts => {
  const after = balancesOf(change);
  return { ...after, [change.type]: after[change.type] - change.amount + change.expired };
};

/** The number that a customer's history begins with: 1, the first opening, or one before which there was nothing. */
const firstNumber = (first: RecordedChange | undefined): number => {
  if (!first) return 1;
  const { regular, restricted } = balancesBefore(first);
  if (regular === 0 && restricted === 0) return first.sequence;
  // Both types are opened at once, one number after the other.
  return first.kind === 'opening' ? first.sequence - 1 : 1;
};

/** The permanent credit of each type that no change tells of. */
const unlottedLeft = (item: CreditItem, changes: readonly RecordedChange[]): Amounts =>
  amountsBy((type) =>
    changes.reduce(
      (left, change) => left - (change.type === type ? change.unlotted : 0),
      holdingOf(item, type).unlotted,
    ),
  );

/** The gaps of a customer's history, in their order. */
const gapsIn = (item: CreditItem, changes: readonly RecordedChange[]): Gap[] => {
  const { creditVersion: version = 0 } = item;
  const gaps: Gap[] = [];
  let next = firstNumber(changes[0]);
  let before = amountsBy(() => 0);
  const endGap = (last: number, after: Amounts, at: string): void => {
    if (last < next) return;
    const grown = amountsBy((type) => after[type] - before[type]);
    // If there are several gaps, nobody knows in which of them lots changed.
    gaps.push({ kind: 'unrecorded', first: next, last, ...grown, before, unlotted: grown, at });
  };
  for (const change of changes) {
    endGap(change.sequence - 1, balancesBefore(change), change.at);
    next = change.sequence + 1;
    before = balancesOf(change);
  }
  endGap(version, balancesOf(item), lastChangeOf(item)?.at ?? '');
  const [gap, ...others] = gaps;
  if (!gap || others.length > 0) return gaps;
  return [{ ...gap, unlotted: unlottedLeft(item, changes) }];
};

/** The gaps that a backfill can close. If there are faults it closes none. */
export const planGaps = (item: CreditItem, changes: readonly RecordedChange[]): { gaps: Gap[]; faults: string[] } => {
  const gaps = gapsIn(item, changes);
  const until = streamEnd();
  const fault = (text: string) => ({ gaps: [], faults: [`customer ${item.sk}: ${text}.`] });
  // While rows may still come, nobody can tell what the missing ones add up to.
  if (gaps.some(({ at }) => at > until))
    return fault('history lacks a change of the last 24 hours, which may still come');
  if (gaps.some(({ first, last, regular, restricted }) => first === last && regular !== 0 && restricted !== 0))
    return fault('both types of credit changed in one change that is missing');
  return { gaps, faults: [] };
};

/**
 * The gap between the last balances in history and the customer's, if history continued without the customer, as after
 * a restore; undefined if history has no change beyond the customer's version. Its rows follow the last of these
 * changes.
 */
export const gapAfterRestore = (item: CreditItem, changes: readonly RecordedChange[]): Gap | undefined => {
  const last = changes.at(-1);
  if (!last || last.sequence <= (item.creditVersion ?? 0)) return undefined;
  const before = balancesOf(last);
  const grown = amountsBy((type) => balancesOf(item)[type] - before[type]);
  const rows = Math.max(1, creditTypes.filter((type) => grown[type] !== 0).length);
  return {
    kind: 'unrecorded',
    first: last.sequence + 1,
    last: last.sequence + rows,
    ...grown,
    before,
    unlotted: unlottedLeft(item, changes),
    at: timestamp(now()),
  };
};

/**
 * The type of a row in a gap. The last row is regular and the one before it restricted. A single row has the changed
 * type.
 */
const typeOfRow = ({ first, last, regular, restricted }: Gap, sequence: number): CreditType => {
  const isSingle = first === last;
  if (isSingle) return regular === 0 && restricted !== 0 ? 'restricted' : 'regular';
  return sequence === last - 1 ? 'restricted' : 'regular';
};

const numbersIn = ({ first, last }: Gap): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** The types of the rows in a gap, in their order. */
export const typesIn = (gap: Gap): CreditType[] => numbersIn(gap).map((sequence) => typeOfRow(gap, sequence));

/** The last expiry among the lots of a type. */
const lastExpiry = (lots: readonly CreditLot[], type: CreditType): string | undefined =>
  lots
    .filter((lot) => lotType(lot) === type)
    .map(({ expiresAt }) => expiresAt)
    .sort()
    .at(-1);

/** The rows that close a gap, with the sums of their days. The last row of a type has all L$ by which it grew. */
export const rowsOfGap = (store: string, uuid: string, gap: Gap, lots: readonly CreditLot[]): LostRow[] => {
  const balances = { ...gap.before };
  // Nobody knows which lots changed, so the row tells only their last expiry.
  const expiries = { regular: lastExpiry(lots, 'regular'), restricted: lastExpiry(lots, 'restricted') };
  return numbersIn(gap).map((sequence): LostRow => {
    const type = typeOfRow(gap, sequence);
    const hasGrowth = sequence === gap.last || (sequence === gap.last - 1 && type === 'restricted');
    const amount = hasGrowth ? gap[type] : 0;
    const unlotted = hasGrowth ? gap.unlotted[type] : 0;
    balances[type] += amount;
    const { regular: credit, restricted: restrictedCredit } = balances;
    const row: HistoryRow = { kind: 'unrecorded', at: gap.at, amount, expired: 0, credit, restrictedCredit, unlotted };
    const lastExpiresAt = expiries[type];
    return {
      key: historyKey(store, uuid, type, sequence),
      facts: row,
      sums: sumsOfRow(type, row),
      ...(lastExpiresAt !== undefined && { parts: { lastExpiresAt } }),
    };
  });
};
