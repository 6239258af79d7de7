import { now, timestamp } from '../../lib/clock.ts';
import { type HistoryRow, historyKey, type LotPart } from '../../lib/credit/history.ts';
import { asDecided, type CreditLot, changedIn, lotId, lotType } from '../../lib/credit/lot.ts';
import { type CreditType, creditTypes } from '../../lib/credit/rules.ts';
import { type CreditItem, holdingOf, type LastChange, lastChangeOf, storedChange } from '../../lib/credit/state.ts';
import { sumsOfRow } from '../../lib/events/days.ts';
import { record } from '../../lib/events/history.ts';
import type { Contribution } from '../../lib/events/records.ts';
import { customerKey } from '../../lib/store/customers.ts';
import { again, answer, decide } from '../../lib/table/decide.ts';
import { all, is, missing, update } from '../../lib/table/language.ts';
import { write } from '../../lib/table/table.ts';
import {
  missingParts,
  openAmounts,
  type RecordedChange,
  readHistory,
  recordedChanges,
} from '../kinds/audit-history.ts';
import { readCredit, type StoredCredit } from '../kinds/read-credit.ts';

/**
 * Gives customers the history that the stream cannot: an opening to those who had credit before history began, rows for
 * changes whose records the stream has lost, parts of lots whose records it has lost, and a row that leads back to the
 * balances where history went on without the customer, as after a restore.
 */

/** The stream keeps a record for a day. Until then the consumer may still make a row that is missing. */
const streamMillis = 24 * 3_600_000;

/**
 * Rows that a customer's history gets, from the number `first` to `last`, and the L$ by which each type grows in them.
 */
export interface Filling extends Record<CreditType, number> {
  kind: 'opening' | 'unrecorded' | 'parts';
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

/** The permanent credit, of each type, that no change tells of. */
const unlottedLeft = (item: CreditItem, changes: readonly RecordedChange[]): Record<CreditType, number> =>
  ofTypes((type) =>
    changes.reduce(
      (left, change) => left - (change.type === type ? change.unlotted : 0),
      holdingOf(item, type).unlotted,
    ),
  );

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
  return [{ ...hole, unlotted: unlottedLeft(item, changes) }];
};

/**
 * The hole between the balances that history ends with and the customer's: undefined unless it has changes beyond the
 * customer's last. Its rows follow the last of these.
 */
const returnOf = (item: CreditItem, changes: readonly RecordedChange[]): Hole | undefined => {
  const last = changes.at(-1);
  if (!last || last.sequence <= (item.creditVersion ?? 0)) return undefined;
  const before = balancesOf(last);
  const grown = ofTypes((type) => balancesOf(item)[type] - before[type]);
  const rows = Math.max(1, creditTypes.filter((type) => grown[type] !== 0).length);
  return {
    ...{ kind: 'unrecorded', first: last.sequence + 1, last: last.sequence + rows, ...grown, before },
    ...{ unlotted: unlottedLeft(item, changes), at: timestamp(now()) },
  };
};

/**
 * The type of each row of a hole: the last is regular, the one before it restricted, a single one of the type that
 * changed.
 */
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

/** The opening of a customer who had credit before history began: one number for each type that they hold. */
const openingOf = (item: CreditItem): Filling | undefined => {
  const { creditVersion = 0 } = item;
  const balances = balancesOf(item);
  const held = creditTypes.filter((type) => balances[type] > 0);
  if (item.lastChange || held.length === 0) return undefined;
  return { kind: 'opening', first: creditVersion + 1, last: creditVersion + held.length, ...balances };
};

const planHoles = (item: CreditItem, changes: readonly RecordedChange[]): { holes: Hole[]; faults: string[] } => {
  const holes = holesOf(item, changes);
  const until = timestamp(now() - streamMillis);
  const fault = (text: string) => ({ holes: [], faults: [`customer ${item.sk}: ${text}.`] });
  // Without the rows that may still come, nobody can tell what the others come to.
  if (holes.some(({ at }) => at > until))
    return fault('history lacks a change of the last 24 hours, which may still come');
  if (holes.some(({ first, last, regular, restricted }) => first === last && regular !== 0 && restricted !== 0))
    return fault('both types of credit changed in one change that is missing');
  return { holes, faults: [] };
};

/** Parts of lots that a row lacks. */
interface LostParts extends Filling {
  type: CreditType;
  lots: LotPart[];
}

/** The part of each lot, by its id, that no row tells of: what is left in it, less the parts that it has. */
const partsLeft = (
  item: CreditItem,
  changes: readonly RecordedChange[],
  lots: readonly CreditLot[],
  type: CreditType,
): { lot: CreditLot; part: LotPart }[] => {
  const open = openAmounts(item, lots, type);
  const told = new Map<string, number>();
  for (const change of changes)
    if (change.type === type) for (const { id, amount } of change.lots) told.set(id, (told.get(id) ?? 0) + amount);
  return lots
    .filter((lot) => lotType(lot) === type)
    .map((lot) => asDecided(lot, item))
    .map((lot) => {
      const id = lotId(lot);
      return { lot, part: { id, amount: (open.get(id) ?? 0) - (told.get(id) ?? 0), expiresAt: lot.expiresAt } };
    })
    .filter(({ part }) => part.amount !== 0);
};

/**
 * The parts that rows lack whose lots' records the stream has lost. A lot names the change that it saw last; of a
 * single row the parts are all that are left. What does not come to what the row lacks is a fault.
 */
const planParts = (
  item: CreditItem,
  changes: readonly RecordedChange[],
  lots: readonly CreditLot[],
): { parts: LostParts[]; faults: string[] } => {
  const parts: LostParts[] = [];
  const faults: string[] = [];
  if (item.pending) return { parts, faults };
  const until = timestamp(now() - streamMillis);
  for (const type of creditTypes) {
    const short = changes.filter((change) => change.type === type && missingParts(change) !== 0);
    const left = short.length === 0 ? [] : partsLeft(item, changes, lots, type);
    for (const change of short) {
      const { sequence, at } = change;
      const amount = missingParts(change);
      const its = left.filter(({ lot }) => changedIn(lot) === sequence);
      const found = [its, short.length === 1 ? left : []].find(
        (some) => some.reduce((sum, { part }) => sum + part.amount, 0) === amount,
      );
      if (at > until)
        faults.push(`customer ${item.sk}: history lacks parts of the change ${sequence}, which may still come.`);
      else if (!found) faults.push(`customer ${item.sk}: nobody can tell which lots the change ${sequence} lacks.`);
      else
        parts.push({
          ...{ kind: 'parts', first: sequence, last: sequence, ...ofTypes((of) => (of === type ? amount : 0)) },
          ...{ type, lots: found.map(({ part }) => part) },
        });
    }
  }
  return { parts, faults };
};

const read = (store: string, uuid: string): Promise<StoredCredit & { changes: RecordedChange[] }> =>
  decide(async () => {
    const credit = await readCredit(store, uuid);
    if (!credit) return again();
    const version = credit.item?.creditVersion ?? 0;
    const changes = recordedChanges(await readHistory(store, uuid));
    // A change that was made since the customer was read is not beyond their last.
    const isSettled =
      (changes.at(-1)?.sequence ?? 0) <= version || (await readCredit(store, uuid))?.item?.creditVersion === version;
    return isSettled ? answer({ ...credit, changes }) : again();
  });

/** All that a customer's history lacks and can get; the first of its members that is there comes first. */
const planOf = async (store: string, uuid: string) => {
  const { item, lots, changes } = await read(store, uuid);
  const none = { item, lots, back: undefined, opening: undefined, holes: [], parts: [], faults: [] };
  if (!item) return none;
  const back = returnOf(item, changes);
  if (back && item.pending)
    return { ...none, faults: [`customer ${uuid}: a large change is under way, try again later.`] };
  const opening = back ? undefined : openingOf(item);
  if (back || opening || !item.lastChange) return { ...none, back, opening };
  const { holes, faults } = planHoles(item, changes);
  if (holes.length > 0 || faults.length > 0) return { ...none, holes, faults };
  return { ...none, ...planParts(item, changes, lots) };
};

const shown = ({ back, opening, holes, parts, faults }: Awaited<ReturnType<typeof planOf>>): Backfill => ({
  fillings: [back ?? [], opening ?? [], holes, parts].flat(),
  faults,
});

/**
 * Looks what a customer's history lacks and can get, and writes nothing. Throws 503 if their credit changes all the
 * time.
 */
export const findBackfill = async (store: string, uuid: string): Promise<Backfill> => shown(await planOf(store, uuid));

/**
 * Raises the version of a customer to that of rows which are there, or come of it. Answers whether their credit is
 * still the same.
 */
const raise = async (store: string, item: CreditItem, creditVersion: number, lastChange: LastChange) => {
  const isImported = item.importedVersion !== undefined && item.importedVersion === item.creditVersion;
  const { done } = await write(
    update(customerKey(store, item.sk), {
      set: {
        ...{ creditVersion, lastChange: storedChange(lastChange) },
        ...(isImported && { importedVersion: creditVersion }),
      },
      when: all(
        item.creditVersion === undefined ? missing('creditVersion') : is('creditVersion', item.creditVersion),
        lastChange.kind === 'opening' ? missing('lastChange') : missing('pending'),
      ),
    }),
  );
  return done;
};

/**
 * Gives a customer the history that they lack, and answers as `findBackfill`. Each hole is filled with the sums of its
 * days, once, however often it is done. An opening raises the customer's version, unless the credit has changed since:
 * then the consumer makes one. So does the way back from rows beyond the version, whose own rows are written first: the
 * consumer finds them there. Throws 503 if the credit changes all the time.
 */
export const backfill = async (store: string, uuid: string): Promise<Backfill> => {
  const plan = await planOf(store, uuid);
  const { item, lots, back, opening, holes, parts } = plan;
  if (!item) return shown(plan);
  for (const hole of back ? [back] : holes) await record(rowsIn(store, uuid, hole, lots));
  await record(
    parts.map(({ type, first, lots: its }) => ({
      ...{ store, key: historyKey(store, uuid, type, first), parts: { lots: its } },
    })),
  );
  if (back) {
    const types = Array.from({ length: back.last - back.first + 1 }, (_, index) => typeIn(back, back.first + index));
    const { kind, at, last } = back;
    await raise(store, item, last, { kind, at, types: types.map((type) => ({ type })) } as LastChange);
  }
  if (!opening) return shown(plan);
  const types = creditTypes.filter((type) => balancesOf(item)[type] > 0).map((type) => ({ type }));
  const done = await raise(store, item, opening.last, { kind: 'opening', at: timestamp(now()), types });
  return { fillings: done ? [opening] : [], faults: [] };
};
