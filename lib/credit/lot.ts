import { newId } from '../clock.ts';
import { demandKnown } from '../shape.ts';
import { partition } from '../table/keys.ts';
import { all, is, update, type Write } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { type CreditType, type Ending, isDue, type Lot, type NewLot } from './rules.ts';

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

/**
 * The part of a large change that its transaction could not hold. Every open lot of `epoch` from those due at `from` up
 * to the sort key `through` has ended: as expired if it was due, otherwise as `how`. One lot may be `reduced`. The
 * customer's item keeps this together with the new balance, and the next change that finds it there carries it out.
 */
export interface PendingChange extends PendingPart {
  id: string;
  /** The time of the change, and the request that made it. */
  at: string;
  by: string;
  /** The version of the customer's credit before the change. The change does not touch later lots. */
  version: number;
  /** The other type's part of a change of both. It is carried out after this one. */
  other?: PendingPart;
}

interface PendingPart {
  type: CreditType;
  /** The version that the change of this type made, if not the one after `version`. */
  changed?: number;
  epoch: string;
  how: Ending;
  /** When the first of these lots comes due: earlier lots need not be read. Without it every lot is read. */
  from?: string;
  through: string;
  reduced?: { sk: string; from: number; to: number };
}

/** Lots of a customer's current epoch as they were read, from the first open one on. */
export interface LotsRead {
  /** The open ones, as a pending change will leave them. */
  open: CreditLot[];
  /** The first of them as it is stored. */
  first: CreditLot | undefined;
  /** The sort keys of all that were read, closed ones included. */
  seen: string[];
  /** The highest version of the customer's credit that touched any of them. */
  touchedIn: number;
  /** How far they were read: to the epoch's end, as far as a command needs them, or only the due lots. */
  reach: 'end' | 'enough' | 'due';
  /** All lots up to this sort key were read. */
  through: string;
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

/** A new open lot, for the transaction that changes the balance. `version` is the version before the change. */
export const newLot = (
  store: string,
  uuid: string,
  type: CreditType,
  epoch: string,
  { amount, expiresAt, id = newId() }: NewLot,
  { at, by }: Pick<PendingChange, 'at' | 'by'>,
  version: number,
  changed = version + 1,
): CreditLot => ({
  ...lotKey(store, uuid, type, epoch, expiresAt, id),
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

/** The part of a large change that is left once its first part is carried out. */
export const otherOf = ({ id, version, at, by, other }: PendingChange): PendingChange | undefined =>
  other && { id, version, at, by, ...other };

const asDecidedBy = (pending: PendingChange, lot: CreditLot): CreditLot => {
  if (lot.state !== 'open' || lot.version >= pending.version) return lot;
  if (!lot.sk.startsWith(`${pending.type}#${pending.epoch}#`)) return lot;
  const changed = changedIn(pending);
  if (lot.sk === pending.reduced?.sk) return { ...lot, remaining: pending.reduced.to, changed };
  if (lot.sk > pending.through) return lot;
  const how = isDue(lot.expiresAt, pending.at) ? 'expired' : pending.how;
  const ended = { state: how, endedAt: pending.at, endedBy: pending.by, ...(how === 'drained' && { remaining: 0 }) };
  return { ...lot, ...ended, changed };
};

/** A lot as a pending change will leave it. */
export const asDecided = (lot: CreditLot, { pending }: { pending?: PendingChange }): CreditLot => {
  if (!pending) return lot;
  demandKnown(pending);
  const other = otherOf(pending);
  return asDecidedBy(pending, other ? asDecidedBy(other, lot) : lot);
};

const isOpen = is('state', 'open');

/**
 * Ends a lot in the change that makes the version `changed`. The table refuses it if the lot is not open any more or,
 * with `remaining`, holds another amount.
 */
export const closing = (
  lot: Key,
  how: Ending,
  { at, by }: Pick<PendingChange, 'at' | 'by'>,
  changed: number,
  remaining?: number,
): Write =>
  update(lot, {
    set: { state: how, changed, endedAt: at, endedBy: by, ...(how === 'drained' && { remaining: 0 }) },
    when: remaining === undefined ? isOpen : all(isOpen, is('remaining', remaining)),
  });

/**
 * Drains a lot in part, in the change that makes the version `changed`; refused if it is not open or holds another
 * amount than `from`.
 */
export const reducing = (lot: Key, from: number, to: number, changed: number): Write =>
  update(lot, { set: { remaining: to, changed }, when: all(isOpen, is('remaining', from)) });
