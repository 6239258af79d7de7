import { now, timestamp } from '../../lib/clock.ts';
import { type HistoryItem, type HistoryRow, historyKey } from '../../lib/credit/history.ts';
import { type CreditLot, lotType } from '../../lib/credit/lots.ts';
import { type CreditType, creditTypes } from '../../lib/credit/rules.ts';
import { type CreditItem, holdingOf, lastChangeOf, storedChange } from '../../lib/credit/state.ts';
import { sumsOfRow } from '../../lib/events/days.ts';
import { record } from '../../lib/events/history.ts';
import type { Contribution } from '../../lib/events/records.ts';
import { customerKey } from '../../lib/store/customers.ts';
import { all, is, missing, update } from '../../lib/table/language.ts';
import { pauseOvertaken } from '../../lib/table/retry.ts';
import { write } from '../../lib/table/table.ts';
import { type RecordedChange, readHistory, recordedChanges } from './history.ts';
import { readCredit, type StoredCredit } from './read-credit.ts';

/**
 * Gives customers the history that the stream cannot: an opening to those who had credit before history began, and rows for
 * changes whose records the stream has lost.
 */

/** The stream keeps a record for a day. Until then the consumer may still make a row that is missing. */
const streamMillis = 24 * 3_600_000;

/** Rows that a customer's history gets, from the number `first` to `last`, and the L$ by which each type grows in them. */
export interface Filling extends Record<CreditType, number> {
  kind: 'opening' | 'unrecorded';
  first: number;
  last: number;
}

/** A hole in a customer's history: `before` are the balances before it, `unlotted` its changes of permanent credit. */
interface Hole extends Filling {
  before: Record<CreditType, number>;
  unlotted: Record<CreditType, number>;
  /** The time of the change behind it: its own are not known. */
  at: string;
}

const balancesOf = ({ credit = 0, restrictedCredit = 0 }: Pick<CreditItem, 'credit' | 'restrictedCredit'>) => ({
  regular: credit,
  restricted: restrictedCredit,
});

const balancesBefore = (change: RecordedChange): Record<CreditType, number> => {
  const after = balancesOf(change);
  return { ...after, [change.type]: after[change.type] - change.amount + change.expired };
};

const ofTypes = (amountOf: (type: CreditType) => number): Record<CreditType, number> => ({
  regular: amountOf('regular'),
  restricted: amountOf('restricted'),
});

/** The number that a customer's history begins with: 1, the first opening, or one before which there was nothing. */
const beginningOf = (first: RecordedChange | undefined): number => {
  if (!first) return 1;
  const { regular, restricted } = balancesBefore(first);
  if (regular === 0 && restricted === 0) return first.sequence;
  // Both types are opened at once, one number after the other.
  return first.kind === 'opening' ? first.sequence - 1 : 1;
};

/** The holes of a customer's history, in their order. */
const holesOf = (item: CreditItem, changes: readonly RecordedChange[]): Hole[] => {
  const { creditVersion: version = 0 } = item;
  const holes: Hole[] = [];
  let next = beginningOf(changes[0]);
  let before = ofTypes(() => 0);
  const close = (last: number, after: Record<CreditType, number>, at: string): void => {
    if (last < next) return;
    const grown = ofTypes((type) => after[type] - before[type]);
    // Of several holes nobody knows in which one lots changed.
    holes.push({ kind: 'unrecorded', first: next, last, ...grown, before, unlotted: grown, at });
  };
  for (const change of changes) {
    close(change.sequence - 1, balancesBefore(change), change.at);
    next = change.sequence + 1;
    before = balancesOf(change);
  }
  close(version, balancesOf(item), lastChangeOf(item)?.at ?? '');
  const [hole, ...others] = holes;
  if (!hole || others.length > 0) return holes;
  const unlotted = ofTypes((type) =>
    changes.reduce(
      (left, change) => left - (change.type === type ? change.unlotted : 0),
      holdingOf(item, type).unlotted,
    ),
  );
  return [{ ...hole, unlotted }];
};

/** The type of each row of a hole: the last is regular, the one before it restricted, a single one of the type that changed. */
const typeIn = ({ first, last, regular, restricted }: Hole, sequence: number): CreditType => {
  const isSingle = first === last;
  if (isSingle) return regular === 0 && restricted !== 0 ? 'restricted' : 'regular';
  return sequence === last - 1 ? 'restricted' : 'regular';
};

/** The rows that fill a hole, with the sums of their days. */
const rowsIn = (store: string, uuid: string, hole: Hole, lots: readonly CreditLot[]): Contribution[] => {
  const balances = { ...hole.before };
  return Array.from({ length: hole.last - hole.first + 1 }, (_, index): Contribution => {
    const sequence = hole.first + index;
    const type = typeIn(hole, sequence);
    const hasNet = sequence === hole.last || (sequence === hole.last - 1 && type === 'restricted');
    const amount = hasNet ? hole[type] : 0;
    const unlotted = hasNet ? hole.unlotted[type] : 0;
    balances[type] += amount;
    const { regular: credit, restricted: restrictedCredit } = balances;
    const row: HistoryRow = {
      ...{ kind: 'unrecorded', at: hole.at, amount, expired: 0, credit, restrictedCredit, unlotted },
    };
    // Nobody knows the lots that changed: they are told of together.
    const lastExpiresAt = lots
      .filter((lot) => lotType(lot) === type)
      .map(({ expiresAt }) => expiresAt)
      .sort()
      .at(-1);
    return {
      ...{ store, key: historyKey(store, uuid, type, sequence), facts: row, sums: sumsOfRow(type, row) },
      ...(lastExpiresAt !== undefined && { parts: { lastExpiresAt } }),
    };
  });
};

/** The backfill of one customer, or, in `faults`, why there is none. */
export interface Backfill {
  fillings: Filling[];
  faults: string[];
}

const nothing: Backfill = { fillings: [], faults: [] };

/** The opening of a customer who had credit before history began: one number for each type that they hold. */
const openingOf = (item: CreditItem): Filling | undefined => {
  const { creditVersion = 0 } = item;
  const balances = balancesOf(item);
  const held = creditTypes.filter((type) => balances[type] > 0);
  if (item.lastChange || held.length === 0) return undefined;
  return { kind: 'opening', first: creditVersion + 1, last: creditVersion + held.length, ...balances };
};

const planHoles = (item: CreditItem, history: readonly HistoryItem[]): { holes: Hole[]; faults: string[] } => {
  const holes = holesOf(item, recordedChanges(history));
  const until = timestamp(now() - streamMillis);
  const fault = (text: string) => ({ holes: [], faults: [`customer ${item.sk}: ${text}.`] });
  // Without the rows that may still come, nobody can tell what the others come to.
  if (holes.some(({ at }) => at > until))
    return fault('history lacks a change of the last 24 hours, which may still come');
  if (holes.some(({ first, last, regular, restricted }) => first === last && regular !== 0 && restricted !== 0))
    return fault('both types of credit changed in one change that is missing');
  return { holes, faults: [] };
};

const read = async (store: string, uuid: string): Promise<StoredCredit & { history: HistoryItem[] }> => {
  for (let attempt = 1; ; attempt++) {
    const credit = await readCredit(store, uuid);
    if (credit) {
      const version = credit.item?.creditVersion ?? 0;
      const history = await readHistory(store, uuid);
      return { ...credit, history: history.filter(({ sk }) => Number(sk) <= version) };
    }
    await pauseOvertaken(attempt);
  }
};

/** Looks what a customer's history lacks and can get, and writes nothing. Throws 503 if their credit changes all the time. */
export const findBackfill = async (store: string, uuid: string): Promise<Backfill> => {
  const { item, history } = await read(store, uuid);
  if (!item) return nothing;
  const opening = openingOf(item);
  if (opening) return { fillings: [opening], faults: [] };
  if (!item.lastChange) return nothing;
  const { holes, faults } = planHoles(item, history);
  return { fillings: holes, faults };
};

/**
 * Gives a customer the history that they lack, and answers as `findBackfill`. Each hole is filled with the sums of its days,
 * once, however often it is done. An opening raises the customer's version, unless the credit has changed since: then the
 * consumer makes one. Throws 503 if the credit changes all the time.
 */
export const backfill = async (store: string, uuid: string): Promise<Backfill> => {
  const { item, lots, history } = await read(store, uuid);
  if (!item) return nothing;
  const opening = openingOf(item);
  if (!opening) {
    if (!item.lastChange) return nothing;
    const { holes, faults } = planHoles(item, history);
    for (const hole of holes) await record(rowsIn(store, uuid, hole, lots));
    return { fillings: holes, faults };
  }
  const balances = balancesOf(item);
  const types = creditTypes.filter((type) => balances[type] > 0).map((type) => ({ type }));
  const lastChange = storedChange({ kind: 'opening', at: timestamp(now()), types });
  const isImported = item.importedVersion !== undefined && item.importedVersion === item.creditVersion;
  const { done } = await write(
    update(customerKey(store, uuid), {
      set: { creditVersion: opening.last, lastChange, ...(isImported && { importedVersion: opening.last }) },
      when: all(is('creditVersion', item.creditVersion), missing('lastChange')),
    }),
  );
  return { fillings: done ? [opening] : [], faults: [] };
};
