import { demandUuid, getCustomerItem } from '../avatars/customers.ts';
import { now, timestamp } from '../clock.ts';
import type { Identifier } from '../identifier.ts';
import { invalid } from '../problem.ts';
import type { CustomerCredit } from '../routes/credit.ts';
import { answer, type Decision, doFirst, readAgain, recheck, writeAll } from '../table/decide.ts';
import { customerKey } from '../table/keys.ts';
import { all, check, is, missing, update, type Write } from '../table/language.ts';
import { pauseForHistory } from '../table/retry.ts';
import type { Key } from '../table/schema.ts';
import { rowsOf } from '../table/table.ts';
import { changeMoney, forSomeTime, type MoneyChange, refuseIfCurrent, writeMoney } from './change.ts';
import {
  type HistoryItem,
  historyKey,
  historyPartition,
  isWholeRow,
  restOfLots,
  type UndoMark,
  type WholeRow,
} from './history.ts';
import { type CreditLot, lotId, lotType } from './lot.ts';
import { isUnchanged, listLots, withoutLots } from './lots.ts';
import { type CreditFacts, planCredit } from './plan.ts';
import {
  type CreditCommand,
  type CreditType,
  creditTypes,
  type Given,
  isDue,
  type NewLot,
  type Plan,
  type Taken,
} from './rules.ts';
import {
  type Author,
  asCredited,
  attributes,
  type Cause,
  type CreditItem,
  creditLimit,
  creditOf,
  holdingOf,
} from './state.ts';

/**
 * Takes back what is left of credit that a change gave, and gives back what it took. History says what that was and
 * what followed. History's row of the change keeps the mark of the undo, so a change is undone once.
 */

/** The result of an undo, as the API answers it. `credit` is the credit at the time of the answer. */
export interface UndoneChange extends Omit<UndoMark, 'at'> {
  credit: CustomerCredit;
}

/** The rows of history from a change on, of each type, the oldest first. */
type RowsSince = Record<CreditType, readonly HistoryItem[]>;

/** A change that can be undone, as history tells of it. */
interface ToldChange {
  kind: 'change';
  type: CreditType;
  of: 'set' | 'increment';
  row: Key;
  gave: Given;
  took: Taken;
  /** It gave its credit in a lot. */
  hasLot: boolean;
  /** Its lot as it was read, if the undo needs more than the key. */
  lot?: CreditLot;
  /** A later set has ended this lot: nothing is left. */
  isEnded: boolean;
}

/** The account that history gives of a change. */
type Told =
  | ToldChange
  | { kind: 'undone'; mark: UndoMark }
  /** It cannot be undone, with this message to the caller. */
  | { kind: 'barred'; message: string }
  /** History does not tell of the change yet, or of a change that followed it. */
  | { kind: 'behind' }
  /** The customer has fewer changes. */
  | { kind: 'beyond' };

/** The most changes of the type that an undo looks through. */
const mostChanges = 1000;

const barred = (message: string): Told => ({ kind: 'barred', message });

const sumOf = (parts: readonly { amount: number }[]): number => parts.reduce((sum, { amount }) => sum + amount, 0);

/** The permanent credit right after a change, and the lowest permanent credit since then. `changes` are later ones. */
const permanentSince = (now: number, changes: readonly WholeRow[]): { after: number; lowest: number } => {
  let [after, lowest] = [now, now];
  for (const { unlotted } of changes.toReversed()) {
    after -= unlotted;
    lowest = Math.min(lowest, after);
  }
  return { after, lowest };
};

/** The lots that a change drained or superseded. `added` is the credit in the lot that it made. */
const lotsTaken = (row: WholeRow, added: number): NewLot[] => {
  const { at, expired, lots = [], lastExpiresAt } = row;
  const ended = lots.filter(({ amount }) => amount < 0);
  const taken = ended
    .filter(({ expiresAt }) => expiresAt > at)
    .map(({ amount, expiresAt }) => ({ amount: -amount, expiresAt }));
  if (lastExpiresAt === undefined) return taken;
  // More than 200 lots: the row has only the sum of the rest, which may include lots that came due.
  const made = added - sumOf(lots.filter(({ amount }) => amount > 0));
  const due = expired + sumOf(ended) + sumOf(taken);
  const amount = made - restOfLots(row) - due;
  return amount > 0 ? [...taken, { amount, expiresAt: lastExpiresAt }] : taken;
};

/** The change of a row, if the row alone has all that an undo needs. A gift in a lot needs nothing else. */
const giftInLot = (row: WholeRow, type: CreditType): ToldChange => {
  const made = row.lots?.find((part) => part.amount > 0);
  return {
    kind: 'change',
    type,
    of: 'increment',
    row: { pk: row.pk, sk: row.sk },
    gave: { amount: row.amount, lot: made && { id: made.id, expiresAt: made.expiresAt } },
    took: { lots: [], unlotted: 0 },
    hasLot: true,
    isEnded: false,
  };
};

/** The change of a row, worked out from the later changes of its type. */
const changeWith = (
  row: WholeRow & { kind: ToldChange['of'] },
  type: CreditType,
  item: CreditItem,
  since: readonly WholeRow[],
): ToldChange => {
  const { after, lowest } = permanentSince(holdingOf(item, type).unlotted, since);
  const balance = row[attributes[type].balance];
  const isSet = row.kind === 'set';
  const hasLot = isSet && after < balance;
  return {
    kind: 'change',
    type,
    of: row.kind,
    row: { pk: row.pk, sk: row.sk },
    gave: { amount: isSet ? balance : Math.max(row.amount, 0), most: lowest },
    took: {
      lots: lotsTaken(row, hasLot ? balance : 0),
      unlotted: isSet ? after - row.unlotted : Math.max(-row.unlotted, 0),
    },
    hasLot,
    isEnded: since.some(({ kind }) => kind === 'set'),
  };
};

const canBeUndone = (row: WholeRow): row is WholeRow & { kind: ToldChange['of'] } =>
  row.kind === 'set' || row.kind === 'increment';

/** The outcome for a change without a row. */
const withoutRow = (known: readonly WholeRow[], sequence: number): Told =>
  known.some(({ kind }) => kind === 'opening')
    ? barred(`sequence must be that of a change since history began: ${sequence} is older.`)
    : { kind: 'behind' };

/**
 * Says what a change gave and took, and whether it can be undone, from the customer's item and the rows of history that
 * were read after it.
 */
const toldChange = (item: CreditItem, rows: RowsSince, sequence: number): Told => {
  const { creditVersion: version = 0 } = item;
  const known = [...rows.regular, ...rows.restricted].filter(isWholeRow);
  const type = creditTypes.find((each) => Number(rows[each][0]?.sk) === sequence);
  const row = type && rows[type].slice(0, 1).find(isWholeRow);
  if (!row) return withoutRow(known, sequence);
  if (row.undone) return { kind: 'undone', mark: row.undone };
  if (!canBeUndone(row))
    return barred(`sequence must be that of a set or an increment: the change ${sequence} is of the kind ${row.kind}.`);
  if (row.lastExpiresAt === undefined && restOfLots(row) !== 0) return { kind: 'behind' };
  // All that is left in the lot comes from this change, whatever followed.
  if (row.kind === 'increment' && row.amount > 0 && row.unlotted === 0) return giftInLot(row, type);

  const since = rows[type].slice(1).filter(isWholeRow);
  const instead = 'take the credit back by an increment.';
  if (since.length > mostChanges)
    return barred(`More than ${mostChanges} changes of this credit have followed the change ${sequence}: ${instead}`);
  if (known.some(({ kind }) => kind === 'unrecorded'))
    return barred(`History does not know all that has followed the change ${sequence}: ${instead}`);
  const change = changeWith(row, type, item, since);
  // Parts that have not come yet may cancel out. If the part of the lot that a set made has come, none is missing.
  const hasParts =
    !change.hasLot || row.lastExpiresAt !== undefined || (row.lots ?? []).some(({ amount }) => amount > 0);
  return hasParts && known.length > version - sequence ? change : { kind: 'behind' };
};

/** Reads a customer's rows of history, from a change on up to the last change of the customer's item. */
const readRowsSince = async (store: string, item: CreditItem, sequence: number): Promise<RowsSince> => {
  const keyOf = (type: CreditType, number: number) => historyKey(store, item.sk, type, number).sk;
  const readType = async (type: CreditType): Promise<HistoryItem[]> => {
    const rows = rowsOf<HistoryItem>({
      partition: historyPartition(store, item.sk, type),
      first: keyOf(type, sequence),
      last: keyOf(type, item.creditVersion ?? 0),
      isEventual: true,
    });
    const limit = mostChanges + 2;
    const some = await rows({ descending: false, limit });
    const last = some[limit - 1];
    if (!last || Number(some[0]?.sk) === sequence) return some;
    return [...some, ...(await rows({ descending: false, from: { position: last.sk, inclusive: false } }))];
  };
  const [regular, restricted] = await Promise.all([readType('regular'), readType('restricted')]);
  return { regular, restricted };
};

/**
 * The lot that a change of one type made. It looks through all lots, since nothing else names the epoch of an ended
 * one.
 */
const lotOfChange = (store: string, uuid: string, type: CreditType, sequence: number): Promise<CreditLot | undefined> =>
  listLots(store, uuid).then((lots) => lots.find((lot) => lotType(lot) === type && lot.version === sequence - 1));

interface UndoFacts {
  credit: CreditFacts;
  told: Told;
}

const readFacts = async (store: string, uuid: string, sequence: number, at: string): Promise<UndoFacts> => {
  const item: CreditItem = await getCustomerItem(store, uuid);
  const credit = withoutLots(item);
  if (sequence > (item.creditVersion ?? 0)) return { credit, told: { kind: 'beyond' } };
  const told = toldChange(item, await readRowsSince(store, item, sequence), sequence);
  // The row of a large change may not name the lot. A set's undo needs it: it counts what was spent from the lot.
  if (told.kind !== 'change' || !told.hasLot || told.gave.lot) return { credit, told };
  const lot = await lotOfChange(store, uuid, told.type, sequence);
  if (!lot) return { credit, told: { kind: 'behind' } };
  const isLive = lot.state === 'open' && !isDue(lot.expiresAt, at);
  const gave: Given = {
    ...told.gave,
    lot: { id: lotId(lot), expiresAt: lot.expiresAt },
    ...(!isLive && { ended: lot.remaining }),
  };
  return { credit, told: { ...told, gave, lot } };
};

/** The lot of a change as the plan read it again, if the plan ends it. */
const endedLot = ({ lot }: ToldChange, plan?: Plan<CreditLot>): CreditLot | undefined =>
  [...(plan?.closed ?? []).map((closed) => closed.lot), plan?.taken].find((one) => one && one.sk === lot?.sk);

/** The check that a change's lot is as it was read, unless the plan ends it. */
const lotCheck = (told: ToldChange, plan?: Plan<CreditLot>): Write[] => {
  const { lot } = told;
  if (!lot || endedLot(told, plan)) return [];
  return [check(lot, all(is('state', lot.state), is('remaining', lot.remaining)))];
};

const commandOf = ({ of, gave, took }: ToldChange): Extract<CreditCommand, { kind: 'undo' }> => ({
  kind: 'undo',
  of,
  gave,
  took,
});

/** The L$ that an undo leaves as they are once a later set has ended them: all that the change gave and took. */
const endedBySet = ({ gave, took }: ToldChange): number => gave.amount + sumOf(took.lots) + took.unlotted;

/**
 * Undoes a change of a customer's credit, by its number: takes back what is left of the credit that it gave, and gives
 * back what it took. Only the first undo of a change has an effect; any later one answers the same, with the credit at
 * that time. Throws 404 for an unknown resident; 400 for a change that cannot be undone; 503 if history does not tell
 * of the change within two seconds, or other writers do not let the undo through. Nothing is changed then.
 */
export const undoCreditChange = async (
  store: string,
  identifier: Identifier,
  sequence: number,
  author: Author,
): Promise<UndoneChange> => {
  const cause: Cause = { at: timestamp(now()), ...author };
  const uuid = await demandUuid(store, identifier);
  const occasion = { kind: 'undo' as const, undoes: sequence };
  const change: MoneyChange = { store, uuid, cause, occasion, hasTime: forSomeTime() };
  let looks = 0;
  const marking = ({ row, of }: ToldChange, undone: UndoMark) =>
    update(row, { set: { undone }, when: all(is('kind', of), missing('undone')) });

  /** Notes that nothing was left. The check fails if the customer has changed, or an erasure has moved them. */
  const noteNothing = (told: ToldChange, item: CreditItem, left: number): Decision<UndoneChange> => {
    const mark = { sequence: null, amount: 0, left };
    const isThere = check(customerKey(store, uuid), asCredited(item));
    const writes = [isThere, marking(told, { at: cause.at, ...mark }), ...lotCheck(told)];
    return writeAll(writes, { answer: { ...mark, credit: creditOf(item) } });
  };

  return changeMoney(change, {
    read: () => readFacts(store, uuid, sequence, cause.at),
    judge: ({ credit, told }) =>
      told.kind === 'change' && !told.isEnded
        ? planCredit(credit, [{ type: told.type, command: commandOf(told) }], cause.at, creditLimit())
        : { kind: 'told' as const },
    conclude: (facts, outcome): Decision<UndoneChange> | Promise<Decision<UndoneChange>> => {
      const { credit, told } = facts;
      const { item } = credit;
      switch (told.kind) {
        case 'beyond':
          return refuseIfCurrent({ credit, seen: [] }, `sequence must be at most ${item.creditVersion ?? 0}.`);
        case 'behind':
          return doFirst(() => pauseForHistory(++looks));
        case 'barred':
          throw invalid(told.message);
        case 'undone': {
          const { sequence: own, amount, left } = told.mark;
          // The customer was read before the mark, and may be older than it.
          return recheck(() => isUnchanged(credit), answer({ sequence: own, amount, left, credit: creditOf(item) }));
        }
      }
      if (outcome.kind === 'told') return noteNothing(told, item, endedBySet(told));
      if (outcome.kind === 'refused') return refuseIfCurrent(facts, outcome.message);
      const { undone, after, parts } = outcome;
      if (!undone) return readAgain();
      if (parts.length === 0) return noteNothing(told, item, undone.left);
      const [part] = parts;
      // The undo learns from the rest of the lot how much was spent. Another transaction may have come between the two
      // reads of the lot.
      const ended = endedLot(told, part?.plan);
      if (ended && ended.remaining !== told.lot?.remaining) return readAgain();
      const made = { sequence: after.creditVersion ?? 0, ...undone };
      const answered = { ...made, credit: creditOf(after) };
      const writes = [marking(told, { at: cause.at, ...made }), ...lotCheck(told, part?.plan)];
      return writeMoney(change, facts, outcome, { answer: answered }, { writes });
    },
  });
};
