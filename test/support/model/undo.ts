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
  of: 'set' | 'increment';
  /** L$ that it gave: in the lot of this number or, without one, as permanent credit. */
  gave: number;
  lot?: number;
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
    command,
    now,
    limit,
  }: Pick<ModelChange, 'uuid' | 'type'> & {
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
  const after = isSet ? new Map<number, number>() : inLots(customer);
  const takes = isSet || command.delta < 0;
  changes[name] = {
    ...{ uuid, type, of: command.kind, gave },
    ...(hasLot && { lot: customer.lots.at(-1)?.number ?? -1 }),
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

/** The rest of what a set took once so much is paid from it, the lots that end first before others. */
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

/** Undoes a change, once. Answers what the first undo gave back and left, and whether this one changed the credit. */
export const undo = (customer: ModelCustomer, changes: ModelChanges, name: string, now: number) => {
  const made = changes[name] as ModelChange;
  if (made.undone) return { ...made.undone, changed: false };
  const { of, gave, lot: number, tookLots, tookPermanent } = made;
  const took = sumOf(tookLots) + tookPermanent;
  const low = customer.lows?.[name];
  // A later set of the type has ended all that came before it.
  if (low === undefined) {
    made.undone = { amount: 0, left: gave + took };
    return { ...made.undone, changed: false };
  }
  const lot = customer.lots.find((one) => one.number === number);
  const isLive = lot !== undefined && lot.expiresAt > now;
  const taken = number === undefined ? Math.min(gave, low) : isLive ? lot.remaining : 0;
  const expired = lot && !isLive ? lot.remaining : (customer.expired?.[number ?? -1] ?? 0);
  const spent = gave - taken - expired;
  const [lots, permanent] = of === 'set' ? paidFrom(tookLots, tookPermanent, spent) : [tookLots, tookPermanent];
  const back = sumOf(lots) + permanent;
  made.undone = { amount: back - taken, left: of === 'set' ? expired + Math.max(0, spent - took) : spent + expired };
  if (taken + back === 0) return { ...made.undone, changed: false };
  expire(customer, now);
  if (lot && isLive) customer.lots = customer.lots.filter((one) => one !== lot);
  // The change is one: what comes back counts against what goes.
  const net = permanent - (number === undefined ? taken : 0);
  if (net > 0) customer.unlotted += net;
  else lower(customer, -net);
  giveBack(customer, sumOf(lots), lots, now);
  return { ...made.undone, changed: true };
};
