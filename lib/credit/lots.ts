import { isDeepStrictEqual } from 'node:util';
import { newId, now } from '../clock.ts';
import { logSink } from '../log.ts';
import { demandKnown } from '../shape.ts';
import { customerKey } from '../store/customers.ts';
import { all, is, update, type Write } from '../table/language.ts';
import { type Key, partition } from '../table/schema.ts';
import { getTogether, rowsOf, write } from '../table/table.ts';
import {
  type CreditCommand,
  type CreditType,
  type Ending,
  earliest,
  isDue,
  isEnough,
  type Lot,
  type NewLot,
} from './rules.ts';
import { type Author, attributes, type CreditItem, holdingOf } from './state.ts';

/**
 * A credit lot, open or closed. Its sort key is `type#epoch#expiresAt#id`: ids are UUIDv7, so lots that expire together
 * are in the order of their creation. A lot is open only in its customer's current epoch.
 */
export interface CreditLot extends Lot, Key {
  amount: number;
  state: 'open' | Ending;
  createdAt: string;
  /** The request that added it. */
  createdBy: string;
  /** The version of the customer's credit before it was added. */
  version: number;
  /** The version of the customer's credit that touched it last, if not the one after `version`: see `changedIn`. */
  changed?: number;
  /** When, and by which request, it ended; the credit that was left then stays in `remaining`. */
  endedAt?: string;
  endedBy?: string;
}

/** The time of a change, and its author. */
export interface Cause extends Author {
  at: string;
}

/**
 * The part of a large change that its transaction did not hold: every open lot of `epoch`, from those due at `from` up
 * to the sort key `through`, has ended (as expired if it was due, else as `how`), and one may be `reduced`. It is
 * recorded with the change of the balance, and whoever finds it carries it out.
 */
export interface Pending extends PendingPart, Pick<Cause, 'at' | 'by'> {
  id: string;
  /** The version of the customer's credit before the change: later lots are none of its business. */
  version: number;
  /** The other type's part of a change of both. It is carried out after this one. */
  other?: PendingPart;
}

interface PendingPart {
  type: CreditType;
  /** The version that the change of this type made, where that is not the next one. */
  changed?: number;
  epoch: string;
  how: Ending;
  /** When the first of them comes due; those that ended long ago need not be read. All are, if absent. */
  from?: string;
  through: string;
  reduced?: { sk: string; from: number; to: number };
}

/**
 * All imported lots share an epoch that no other change begins. Their keys are therefore known in advance, and a
 * repeated import finds an earlier lot, open or closed, after any number of later changes.
 */
export const importEpoch = 'import';

export const lotPartition = (store: string, uuid: string): string => partition(store, 'LOT', uuid);

export const prefixOf = (type: CreditType, epoch: string): string => `${type}#${epoch}#`;

export const lotId = ({ sk }: Pick<CreditLot, 'sk'>): string => sk.slice(sk.lastIndexOf('#') + 1);

export const lotType = ({ sk }: Pick<CreditLot, 'sk'>): CreditType => sk.slice(0, sk.indexOf('#')) as CreditType;

/** The key of a lot. */
export const lotKey = (
  store: string,
  uuid: string,
  type: CreditType,
  epoch: string,
  expiresAt: string,
  id: string,
): Key => ({ pk: lotPartition(store, uuid), sk: `${prefixOf(type, epoch)}${expiresAt}#${id}` });

/** Sorts after every lot of the epoch. */
export const endOfEpoch = (type: CreditType, epoch: string): string => `${prefixOf(type, epoch)}~`;

/** A new open lot, to be put in the transaction that changes the balance. `version` is the one before the change. */
export const newLot = (
  store: string,
  uuid: string,
  type: CreditType,
  epoch: string,
  { amount, expiresAt }: NewLot,
  { at, by }: Cause,
  version: number,
  changed = version + 1,
): CreditLot => ({
  ...lotKey(store, uuid, type, epoch, expiresAt, newId()),
  amount,
  remaining: amount,
  expiresAt,
  state: 'open',
  createdAt: at,
  createdBy: by,
  version,
  ...(changed !== version + 1 && { changed }),
});

/** The version of the customer's credit that touched a lot last. */
export const changedIn = ({ version, changed = version + 1 }: Pick<CreditLot, 'version' | 'changed'>): number =>
  changed;

/**
 * The lots of an epoch, open and closed, from a place in their order on, some at a time, `isLast` with the last of
 * them.
 */
async function* lotsOfEpoch(store: string, uuid: string, type: CreditType, epoch: string, from: string) {
  const prefix = prefixOf(type, epoch);
  const rows = rowsOf<CreditLot>({ partition: lotPartition(store, uuid) });
  let place = { position: prefix + from, inclusive: true };
  for (let stride = 100; ; stride = 1000) {
    const some = await rows({ descending: false, from: place, limit: stride });
    const ours = some.filter(({ sk }) => sk.startsWith(prefix));
    const last = ours.length < stride ? undefined : ours.at(-1);
    yield { some: ours, isLast: last === undefined };
    if (last === undefined) return;
    place = { position: last.sk, inclusive: false };
  }
}

/** Lots of a customer's current epoch as they were read, from the first open one on. */
export interface LotsRead {
  open: CreditLot[];
  /** The sort keys of all that were read, closed ones included. */
  seen: string[];
  /** True if the epoch was read to its end. */
  isComplete: boolean;
}

/** The time within which each item of a transaction shows: an assumption, since DynamoDB promises none. */
const showMillis = 60_000;

/** Tells whether the last change of a customer's credit is so long ago that each of its items shows. */
export const isAtRest = ({ lastChange }: CreditItem, at: number): boolean =>
  lastChange === undefined || at - lastChange.t > showMillis;

/**
 * Reads lots in their order, from the one that comes due first on: to the end of their epoch, or, of a customer at
 * rest, as far as a command needs them. No open lot lies before the first due time, so most that have ended are not
 * read.
 */
export const readLots = async (
  store: string,
  item: CreditItem,
  type: CreditType,
  command: CreditCommand,
  at: string,
): Promise<LotsRead> => {
  const { epoch, due } = attributes[type];
  const read: LotsRead = { open: [], seen: [], isComplete: true };
  const mayStopEarly = isAtRest(item, now());
  for await (const { some, isLast } of lotsOfEpoch(store, item.sk, type, item[epoch] ?? '', item[due] ?? '')) {
    read.open.push(...some.filter(({ state }) => state === 'open'));
    read.seen.push(...some.map(({ sk }) => sk));
    if (!isLast && mayStopEarly && isEnough(read.open, command, at)) return { ...read, isComplete: false };
  }
  return read;
};

/**
 * Tells whether the lots belong to the customer's item, both as they were read. A query may see the items of a
 * transaction one by one, before or after their customer: so lots that were just added may be missing, and some that
 * just ended may still be open. Other changes of the customer may have come in between, since writers of an item need
 * not wait for the rest of its transaction: so only the count and the sum of all open lots tell.
 */
export const isWhole = (item: CreditItem, type: CreditType, { open, seen, isComplete }: LotsRead): boolean => {
  const { balance, unlotted, lots, due } = holdingOf(item, type);
  if (open[0]?.expiresAt !== due) return false;
  const inLots = open.reduce((sum, { remaining }) => sum + remaining, 0);
  if (isComplete) return open.length === lots && inLots === balance - unlotted;
  const { newest, epoch } = attributes[type];
  const last = item[newest] ?? '';
  const first = `${prefixOf(type, item[epoch] ?? '')}${due}`;
  return last < first || last > (seen.at(-1) ?? '') || seen.includes(last);
};

/**
 * Tells whether a customer's item, the first open lot of each reading and `others` are as they were read, at one
 * moment. The other lots follow: a change ends lots from the first on and reduces the next, and `isWhole` knows of one
 * that was added.
 */
export const isCurrent = async (
  item: CreditItem,
  read: readonly Pick<LotsRead, 'open'>[],
  others: readonly Key[] = [],
): Promise<boolean> => {
  const firsts = read.flatMap(({ open: [first] }) => first ?? []);
  const [customer, ...together] = await getTogether<CreditItem & CreditLot>([item, ...firsts, ...others]);
  if (customer?.creditVersion !== item.creditVersion) return false;
  const lots = together.splice(0, firsts.length);
  const isSame = (first: CreditLot, index: number): boolean =>
    lots[index]?.state === first.state && lots[index]?.remaining === first.remaining;
  return firsts.every(isSame) && others.every((other, index) => isDeepStrictEqual(together[index], other));
};

/** Every lot of a customer, open and closed, both types. */
export const listLots = (store: string, uuid: string): Promise<CreditLot[]> =>
  rowsOf<CreditLot>({ partition: lotPartition(store, uuid) })({ descending: false });

/** The part of a large change that is left once its first one is carried out. */
const otherOf = ({ id, version, at, by, other }: Pending): Pending | undefined =>
  other && { id, version, at, by, ...other };

const asDecidedBy = (pending: Pending, lot: CreditLot): CreditLot => {
  if (lot.state !== 'open' || lot.version >= pending.version) return lot;
  if (!lot.sk.startsWith(`${pending.type}#${pending.epoch}#`)) return lot;
  const changed = changedIn(pending);
  if (lot.sk === pending.reduced?.sk) return { ...lot, remaining: pending.reduced.to, changed };
  if (lot.sk > pending.through) return lot;
  const how = isDue(lot.expiresAt, pending.at) ? 'expired' : pending.how;
  const ended = { state: how, endedAt: pending.at, endedBy: pending.by, ...(how === 'drained' && { remaining: 0 }) };
  return { ...lot, ...ended, changed };
};

/** A lot as it counts: what a large change has still to write about it is taken as written. */
export const asDecided = (lot: CreditLot, { pending }: CreditItem): CreditLot => {
  if (!pending) return lot;
  demandKnown(pending);
  const other = otherOf(pending);
  return asDecidedBy(pending, other ? asDecidedBy(other, lot) : lot);
};

const isOpen = is('state', 'open');

/**
 * Ends a lot in the change that makes the version `changed`; refused if it is not open any more, or does not hold
 * `remaining` where that is given.
 */
export const closing = (
  lot: Key,
  how: Ending,
  { at, by }: Pick<Cause, 'at' | 'by'>,
  changed: number,
  remaining?: number,
): Write =>
  update(lot, {
    set: { state: how, changed, endedAt: at, endedBy: by, ...(how === 'drained' && { remaining: 0 }) },
    when: remaining === undefined ? isOpen : all(isOpen, is('remaining', remaining)),
  });

/** Drains a lot in part, in the change that makes the version `changed`; refused if it is not as it was. */
export const reducing = (lot: Key, from: number, to: number, changed: number): Write =>
  update(lot, { set: { remaining: to, changed }, when: all(isOpen, is('remaining', from)) });

const sideBySide = 25;

/**
 * Writes the pending part of a large change. May be done twice, or at once by several. Answers where it stopped, if it
 * did.
 */
const carryOut = async (
  store: string,
  uuid: string,
  pending: Pending,
  mayGoOn: () => boolean,
): Promise<string | undefined> => {
  const { type, epoch, from = '', through, how, at, version, reduced } = pending;
  const changed = changedIn(pending);
  for await (const { some } of lotsOfEpoch(store, uuid, type, epoch, from)) {
    const open = some.filter((lot) => lot.state === 'open' && lot.sk <= through && lot.version < version);
    // A refusal means that somebody else has carried it out already.
    for (let i = 0; i < open.length; i += sideBySide) {
      if (!mayGoOn()) return open[i]?.expiresAt;
      await Promise.all(
        open
          .slice(i, i + sideBySide)
          .map((lot) => write(closing(lot, isDue(lot.expiresAt, at) ? 'expired' : how, pending, changed))),
      );
    }
    if ((some.at(-1)?.sk ?? '') > through) break;
  }
  const lot = { pk: lotPartition(store, uuid), sk: reduced?.sk ?? '' };
  if (reduced) await write(reducing(lot, reduced.from, reduced.to, changed));
  return undefined;
};

/**
 * Writes the pending part of an earlier large change, and notes that it is done. False where the time ran out: then it
 * notes how far it came, so that the next one goes on there. Throws LaterShape for one that only a later version can
 * write.
 */
export const settle = async (store: string, item: CreditItem, mayGoOn: () => boolean): Promise<boolean> => {
  if (!item.pending) return true;
  demandKnown(item.pending);
  const isSame = is('pending.id', item.pending.id);
  for (let pending: Pending | undefined = item.pending; pending; pending = otherOf(pending)) {
    const from = await carryOut(store, item.sk, pending, mayGoOn);
    if (from === undefined) continue;
    await write(update(customerKey(store, item.sk), { set: { pending: { ...pending, from } }, when: isSame }));
    return false;
  }
  // While a change is pending nothing else moves the due times: every other change settles it first.
  const due = earliest(item.creditDue, item.restrictedDue);
  await write(
    update(customerKey(store, item.sk), {
      set: { pending: undefined, due, ...(due === undefined && { dues: undefined }) },
      when: isSame,
    }),
  );
  return true;
};

/** The change itself is made: it has not failed if its lots could not all be marked. The sweep will do it. */
export const settleOrLeave = async (store: string, item: CreditItem, mayGoOn: () => boolean): Promise<void> => {
  try {
    await settle(store, item, mayGoOn);
  } catch (error) {
    logSink.write({ level: 'WARN', unsettled: item.sk, stack: error instanceof Error ? error.stack : String(error) });
  }
};
