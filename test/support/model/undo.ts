import type { CreditType } from '../../../lib/credit/rules.ts';
import {
  change,
  expire,
  giveBack,
  inLots,
  lower,
  type ModelCommand,
  type ModelCustomer,
  type TakenParts,
} from './credit.ts';

/** A second implementation of the undo of one change of credit, written from the specification alone. */

/** A change that can be undone. */
export interface ModelChange {
  uuid: string;
  type: CreditType;
  /** Its number among the customer's changes, where that is known. */
  sequence?: number | undefined;
  of: 'set' | 'increment';
  /** L$ that it gave: in a lot or, without one, as permanent credit. */
  gave: number;
  lot?: { number: number; expiresAt: number };
  /** L$ that it took. */
  tookLots: TakenParts;
  tookPermanent: number;
  /** The first undo: what it gave back, and what could not be undone. */
  undone?: { amount: number; left: number };
}

export type ModelChanges = Record<string, ModelChange>;

const sumOf = (parts: Readonly<TakenParts>): number => parts.reduce((sum, [, amount]) => sum + amount, 0);

/** Carries out a command, and notes what it did under a name. Returns false, and changes nothing, if it is refused. */
export const changeNoted = (
  customer: ModelCustomer,
  changes: ModelChanges,
  name: string,
  {
    uuid,
    type,
    sequence,
    command,
    now,
    limit,
  }: Pick<ModelChange, 'uuid' | 'type' | 'sequence'> & {
    command: ModelCommand;
    now: number;
    limit: number;
  },
): boolean => {
  const before = structuredClone(customer);
  expire(before, now);
  if (!change(customer, command, now, limit)) return false;
  const isSet = command.kind === 'set';
  const gave = isSet ? command.credit : Math.max(command.delta, 0);
  const hasLot = gave > 0 && command.expiresAt !== undefined;
  const newest = customer.lots.at(-1);
  const after = isSet ? new Map<number, number>() : inLots(customer);
  const takes = isSet || command.delta < 0;
  changes[name] = {
    ...{ uuid, type, sequence, of: command.kind, gave },
    ...(hasLot && newest && { lot: { number: newest.number, expiresAt: newest.expiresAt } }),
    tookLots: takes
      ? [...inLots(before)]
          .map(([at, held]): [number, number] => [at, held - (after.get(at) ?? 0)])
          .filter(([, taken]) => taken > 0)
      : [],
    tookPermanent: isSet ? before.unlotted : takes ? before.unlotted - customer.unlotted : 0,
  };
  customer.lows = { ...customer.lows, [name]: customer.unlotted };
  return true;
};

/** Takes the rest of a lot: what it holds too little or too much is that of others with its end. */
const takeFrom = (customer: ModelCustomer, expiresAt: number, number: number, taken: number): void => {
  const same = customer.lots.filter((lot) => lot.expiresAt === expiresAt);
  const rest = same.reduce((sum, { remaining }) => sum + remaining, -taken);
  customer.lots = customer.lots.filter((lot) => lot.expiresAt !== expiresAt);
  const other = same.find((lot) => lot.number !== number);
  if (rest > 0) customer.lots.push({ expiresAt, number: other?.number ?? number, remaining: rest });
};

/** The rest of what a set took after this amount is paid from it, first from lots that end first. */
const paidFrom = (lots: Readonly<TakenParts>, permanent: number, spent: number): [TakenParts, number] => {
  let due = spent;
  const rest = lots
    .toSorted(([a], [b]) => a - b)
    .map(([at, amount]): [number, number] => {
      const paid = Math.min(due, amount);
      due -= paid;
      return [at, amount - paid];
    });
  return [rest.filter(([, amount]) => amount > 0), Math.max(0, permanent - due)];
};

/** An undo of a change, as the lots of its customer are now. */
interface Effect {
  /** L$ that are taken back. */
  taken: number;
  lots: TakenParts;
  permanent: number;
  undone: { amount: number; left: number };
}

const effectOf = ({ of, gave, tookLots, tookPermanent }: ModelChange, taken: number, expired: number): Effect => {
  const spent = gave - taken - expired;
  const [lots, permanent] = of === 'set' ? paidFrom(tookLots, tookPermanent, spent) : [tookLots, tookPermanent];
  const took = sumOf(tookLots) + tookPermanent;
  const left = of === 'set' ? expired + Math.max(0, spent - took) : spent + expired;
  return { taken, lots, permanent, undone: { amount: sumOf(lots) + permanent - taken, left } };
};

/**
 * The possible effects of an undo. Of lots with the same end that several processes' clocks made, any may have been
 * drained first. Then the change's own lot may hold any part of what all of them hold.
 */
const effectsOf = (customer: ModelCustomer, made: ModelChange, low: number, now: number): Effect[] => {
  const { lot, gave } = made;
  if (lot === undefined) return [effectOf(made, Math.min(gave, low), 0)];
  const { number, expiresAt } = lot;
  // After the undo of another lot with its end it may hold their L$ too: see `takeFrom`.
  const own = Math.min(gave, customer.lots.find((one) => one.number === number)?.remaining ?? 0);
  // The clock that has closed it may be ahead.
  const ended = customer.expired?.[number];
  const isLive = ended === undefined && expiresAt > now;
  const expired = isLive ? 0 : (ended ?? own);
  const sure = effectOf(made, isLive ? own : 0, expired);
  if ((customer.made?.[expiresAt] ?? 0) < 2) return [sure];
  const held = inLots(customer).get(expiresAt) ?? 0;
  const most = isLive ? Math.min(gave, held) : gave;
  const parts = Array.from({ length: most + 1 }, (_, part) => part);
  return [sure, ...parts.map((part) => (isLive ? effectOf(made, part, 0) : effectOf(made, 0, part)))];
};

/**
 * Undoes a change, once. `told` is what the service did. Answers what the first undo gave back and left, and whether
 * this one changed the credit.
 */
export const undo = (
  customer: ModelCustomer,
  changes: ModelChanges,
  name: string,
  now: number,
  told?: { amount: number; left: number },
) => {
  const made = changes[name] as ModelChange;
  if (made.undone) return { ...made.undone, changed: false };
  const { gave, lot, tookLots, tookPermanent } = made;
  const low = customer.lows?.[name];
  // A later set of the type has ended all that came before it.
  if (low === undefined) {
    made.undone = { amount: 0, left: gave + sumOf(tookLots) + tookPermanent };
    return { ...made.undone, changed: false };
  }
  const effects = effectsOf(customer, made, low, now);
  const isTold = ({ undone }: Effect): boolean => undone.amount === told?.amount && undone.left === told.left;
  const { taken, lots, permanent, undone } = effects.find(isTold) ?? (effects[0] as Effect);
  made.undone = undone;
  if (taken + sumOf(lots) + permanent === 0) return { ...undone, changed: false };
  expire(customer, now);
  if (lot && taken > 0) takeFrom(customer, lot.expiresAt, lot.number, taken);
  // It is one change: what comes back is set off against what goes.
  const net = permanent - (lot ? 0 : taken);
  if (net > 0) customer.unlotted += net;
  else lower(customer, -net);
  giveBack(customer, sumOf(lots), lots, now);
  return { ...undone, changed: true };
};
