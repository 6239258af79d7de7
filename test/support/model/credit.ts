import type { CreditType } from '../../../lib/credit/rules.ts';

/**
 * A second implementation of the credit rules, written from the specification alone, without indexes and without regard
 * for speed. The model test compares the service with it.
 */
interface ModelLot {
  expiresAt: number;
  /** Creation order. */
  number: number;
  remaining: number;
}

export interface ModelCustomer {
  unlotted: number;
  lots: ModelLot[];
  /** The lots that were ever made, by the time of their expiry. */
  made?: Record<number, number>;
  /** The L$ that were left in lots that have expired, by their numbers. */
  expired?: Record<number, number>;
  /** The least permanent credit since a change, by the name of each that no later set has ended. */
  lows?: Record<string, number>;
}

/** A customer's credit of each type. */
export type Holding = Record<CreditType, ModelCustomer>;

/** The fields of a set or an increment. */
export type ModelCommand =
  | { kind: 'set'; credit: number; expiresAt?: string | undefined }
  | { kind: 'increment'; delta: number; expiresAt?: string | undefined };

let created = 0;

const addLot = (customer: ModelCustomer, expiresAt: number, remaining: number): void => {
  customer.lots.push({ expiresAt, number: created++, remaining });
  customer.made = { ...customer.made, [expiresAt]: (customer.made?.[expiresAt] ?? 0) + 1 };
};

/** Takes permanent credit. */
export const lower = (customer: ModelCustomer, amount: number): void => {
  customer.unlotted -= amount;
  for (const [name, low] of Object.entries(customer.lows ?? {}))
    if (low > customer.unlotted) customer.lows = { ...customer.lows, [name]: customer.unlotted };
};

const emptyCustomer = (): ModelCustomer => ({ unlotted: 0, lots: [] });

export const emptyHolding = (): Holding => ({ regular: emptyCustomer(), restricted: emptyCustomer() });

export const balanceOf = ({ unlotted, lots }: ModelCustomer): number =>
  lots.reduce((sum, { remaining }) => sum + remaining, unlotted);

/**
 * Expires the due lots. Returns their sum, and how many there are at the least: of two lots with one end, made within a
 * millisecond, the service may drain either first.
 */
export const expire = (customer: ModelCustomer, now: number): { lots: number; amount: number } => {
  const due = customer.lots.filter(({ expiresAt }) => expiresAt <= now);
  customer.lots = customer.lots.filter(({ expiresAt }) => expiresAt > now);
  for (const { number, remaining } of due) customer.expired = { ...customer.expired, [number]: remaining };
  const ends = new Set(due.map(({ expiresAt }) => expiresAt));
  return { lots: ends.size, amount: due.reduce((sum, { remaining }) => sum + remaining, 0) };
};

/** Returns false, and changes nothing, if the rules refuse the command. */
export const set = (
  customer: ModelCustomer,
  credit: number,
  expiresAt: number | undefined,
  now: number,
  limit: number,
): boolean => {
  if (credit > limit || (expiresAt !== undefined && expiresAt <= now)) return false;
  customer.lots = [];
  customer.unlotted = 0;
  delete customer.lows;
  if (expiresAt === undefined) customer.unlotted = credit;
  else if (credit > 0) addLot(customer, expiresAt, credit);
  return true;
};

/** Returns false, and changes nothing, if the rules refuse the command. */
export const increment = (
  customer: ModelCustomer,
  delta: number,
  expiresAt: number | undefined,
  now: number,
  limit: number,
): boolean => {
  const live = customer.lots.filter((lot) => lot.expiresAt > now);
  const held = balanceOf({ unlotted: customer.unlotted, lots: live });
  if (expiresAt !== undefined && (expiresAt <= now || delta < 0)) return false;
  // The limit bounds additions: a refund may have taken the balance above it.
  if ((delta > 0 && held + delta > limit) || held + delta < 0) return false;
  expire(customer, now);
  const { lots } = customer;
  if (delta > 0 && expiresAt !== undefined) addLot(customer, expiresAt, delta);
  else if (delta > 0) customer.unlotted += delta;
  else {
    let rest = -delta;
    lots.sort((a, b) => a.expiresAt - b.expiresAt || a.number - b.number);
    for (const lot of lots) {
      const taken = Math.min(rest, lot.remaining);
      lot.remaining -= taken;
      rest -= taken;
    }
    customer.lots = lots.filter(({ remaining }) => remaining > 0);
    lower(customer, rest);
  }
  return true;
};

/** Carries out a command. Returns false, and changes nothing, if the rules refuse it. */
export const change = (customer: ModelCustomer, command: ModelCommand, now: number, limit: number): boolean => {
  const due = command.expiresAt === undefined ? undefined : Date.parse(command.expiresAt);
  return command.kind === 'set'
    ? set(customer, command.credit, due, now, limit)
    : increment(customer, command.delta, due, now, limit);
};

/** The L$ in lots, by the time of their expiry. */
export const inLots = ({ lots }: ModelCustomer): Map<number, number> => {
  const sums = new Map<number, number>();
  for (const { expiresAt, remaining } of lots) sums.set(expiresAt, (sums.get(expiresAt) ?? 0) + remaining);
  return sums;
};

/** The credit that may be spent: without what has come due. */
export const spendable = (customer: ModelCustomer, now: number): number =>
  balanceOf({ ...customer, lots: customer.lots.filter(({ expiresAt }) => expiresAt > now) });

/** The parts of an amount of credit that lots had, by the time of their expiry; the rest was permanent. */
export type TakenParts = [expiresAt: number, amount: number][];

/** Takes credit, and answers the amount for each expiry. Due credit expires first. */
export const takeCredit = (customer: ModelCustomer, amount: number, now: number): TakenParts => {
  if (amount === 0) return [];
  expire(customer, now);
  const before = inLots(customer);
  increment(customer, -amount, undefined, now, Number.POSITIVE_INFINITY);
  const after = inLots(customer);
  return [...before]
    .map(([expiresAt, held]): [number, number] => [expiresAt, held - (after.get(expiresAt) ?? 0)])
    .filter(([, taken]) => taken > 0);
};

/** Gives credit back as it was taken. Credit that is already due comes back and expires at once: answers how much. */
export const giveBack = (customer: ModelCustomer, amount: number, taken: Readonly<TakenParts>, now: number): number => {
  if (amount === 0) return 0;
  expire(customer, now);
  const fromLots = taken.reduce((sum, [, part]) => sum + part, 0);
  increment(customer, amount - fromLots, undefined, now, Number.POSITIVE_INFINITY);
  let due = 0;
  for (const [expiresAt, part] of taken)
    if (expiresAt > now) increment(customer, part, expiresAt, now, Number.POSITIVE_INFINITY);
    else due += part;
  return due;
};

/** A bonus: permanent credit or, with an end, a lot of its own. */
export interface ModelBonus {
  type: CreditType;
  amount: number;
  expiresAt?: number;
  /** Of its lot. */
  number?: number;
  /** The part that a refund took back. */
  takenBack?: number;
}

/** Gives a bonus, which the rules have cut to the limit, as credit. */
export const addBonus = (customer: ModelCustomer, bonus: ModelBonus, now: number): ModelBonus => {
  const { amount, expiresAt } = bonus;
  increment(customer, amount, expiresAt, now, Number.POSITIVE_INFINITY);
  return expiresAt === undefined ? bonus : { ...bonus, number: created - 1 };
};

/** Takes back what is left of a bonus: in its lot or, at most the amount, in permanent credit. Answers how much. */
export const takeBonusBack = (customer: ModelCustomer, { amount, expiresAt, number }: ModelBonus, now: number) => {
  const lot = customer.lots.find((one) => one.number === number && one.expiresAt > now);
  const taken = expiresAt === undefined ? Math.min(amount, customer.unlotted) : (lot?.remaining ?? 0);
  if (taken === 0) return 0;
  expire(customer, now);
  if (expiresAt === undefined) lower(customer, taken);
  else customer.lots = customer.lots.filter((one) => one !== lot);
  return taken;
};
