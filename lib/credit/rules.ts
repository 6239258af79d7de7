import { invalid } from '../problem.ts';
import { joinedByExpiry } from './joined.ts';

/**
 * The credit rules of the contract as pure functions: no I/O, no clock. Amounts are whole L$, times are timestamps of
 * the contract (UTC with milliseconds, so that they sort as text).
 */

export const creditTypes = ['regular', 'restricted'] as const;
export type CreditType = (typeof creditTypes)[number];

/** A customer's credit of one type: `balance` = `unlotted` + the sum of `remaining` over the open lots. */
export interface Holding {
  balance: number;
  unlotted: number;
  /** The number of open lots. */
  lots: number;
  /** When the first open lot comes due. */
  due?: string;
}

export interface Lot {
  /** Sorts as lots are drained: by `expiresAt`, then creation, then id. */
  sk: string;
  expiresAt: string;
  remaining: number;
}

/** How a lot ended. */
export type Ending = 'drained' | 'expired' | 'superseded';

export type CreditCommand =
  | { kind: 'set'; credit: number; expiresAt?: string | undefined }
  /** `name` is what a refusal for the credit limit calls the amount. */
  | { kind: 'increment'; delta: number; expiresAt?: string | undefined; name?: string }
  /** Gives back what was taken from lots and from permanent credit. The credit limit does not apply. */
  | { kind: 'refund'; lots: readonly NewLot[]; unlotted: number }
  /** Adds as much of the amount as the limit leaves. If the bonus expires, `id` is the id of its lot. */
  | { kind: 'bonus'; amount: number; expiresAt?: string | undefined; id: string }
  /** Takes back what is left of a bonus. */
  | ({ kind: 'bonus-back' } & Given)
  /**
   * Takes back what is left of credit that a change gave, and gives back what the change took. The credit limit does
   * not apply. When a set is undone, credit that was spent since the set counts as paid from what the set took.
   */
  | { kind: 'undo'; of: 'set' | 'increment'; gave: Given; took: Taken }
  /** Only closes due lots. */
  | { kind: 'reconcile' };

/** Credit that a change gave: in a new lot, which held nothing else, or as permanent credit. */
export interface Given {
  /** In L$. */
  amount: number;
  lot?: { id: string; expiresAt: string } | undefined;
  /** The permanent credit that can still be the change's, by default all of the amount. */
  most?: number;
  /** Of a set: the L$ that were left in its lot when that ended, or came due. */
  ended?: number | undefined;
}

/** Credit that a change took from lots and from permanent credit. */
export interface Taken {
  lots: readonly NewLot[];
  unlotted: number;
}

/** The result of an undo, in L$. */
export interface Undone {
  /** Given back; negative for credit that was taken back. */
  amount: number;
  /** The part of what the change gave, or took, that stays as it is. */
  left: number;
}

/** A lot to add. */
export interface NewLot {
  amount: number;
  expiresAt: string;
  /** Without it the lot gets a new id. */
  id?: string;
}

/** The effect of a command on a holding and its lots. */
export interface Plan<L extends Lot = Lot> {
  holding: Holding;
  /** The lots that end; drained ones with nothing left, the others with what remained. */
  closed: { lot: L; how: Ending }[];
  /** The one lot that is drained in part, and what remains in it. */
  reduced?: { lot: L; remaining: number };
  added?: readonly NewLot[];
  /** L$ that are given back though they are due already: they expire in the same change, without a lot. */
  lapsed?: number;
  /** The L$ of a bonus that are given, or, negative, taken back. */
  bonus?: number;
  /** The lot that is taken back: it ends, drained, though others come before it. */
  taken?: L;
  /** The result of an undo, even of one without effect. */
  undone?: Undone;
  /** The change must not be made: nothing was left to undo. */
  hasNoEffect?: true;
}

/** A rule refuses a command, with this message to the caller. */
export interface RuleRefusal {
  refused: string;
}

/** Something live until T is live while now < T: a lot is due from T on. */
export const isDue = (expiresAt: string | undefined, at: string): boolean => expiresAt !== undefined && expiresAt <= at;

/** The faults of a command that do not depend on the customer's credit. */
export const commandFaults = (command: CreditCommand, at: string, limit: number): string[] => {
  if (command.kind !== 'set' && command.kind !== 'increment') return [];
  const faults: string[] = [];
  const amount = command.kind === 'set' ? command.credit : command.delta;
  const name = command.kind === 'set' ? 'credit' : (command.name ?? 'delta');
  if (isDue(command.expiresAt, at)) faults.push('expiresAt must be in the future.');
  if (amount > limit) faults.push(`${name} must be at most the credit limit of ${limit}.`);
  return faults;
};

/** Refuses a command with such faults, before anything is read. Throws 400. */
export const checkCommand = (command: CreditCommand, at: string, limit: number): void => {
  const faults = commandFaults(command, at, limit);
  if (faults.length > 0) throw invalid(...faults);
};

/** The earliest of these times; any of them may be absent. */
export const earliest = (...times: (string | undefined)[]): string | undefined =>
  // A sort puts undefined last.
  times.sort()[0];

const makeHolding = (balance: number, unlotted: number, lots: number, due: string | undefined): Holding => ({
  balance,
  unlotted,
  lots,
  ...(due !== undefined && { due }),
});

/** Rules 2 to 6: a set closes every open lot of the type and rewrites the balance. */
const set = <L extends Lot>(credit: number, expiresAt: string | undefined, open: readonly L[], at: string): Plan<L> => {
  const closed = open.map((lot) => ({
    lot,
    how: isDue(lot.expiresAt, at) ? ('expired' as const) : ('superseded' as const),
  }));
  if (expiresAt === undefined || credit === 0) return { holding: makeHolding(credit, credit, 0, undefined), closed };
  return { holding: makeHolding(credit, 0, 1, expiresAt), closed, added: [{ amount: credit, expiresAt }] };
};

/** Rule 10: takes `amount` from the lots in their order, then from what is not in lots. */
const drain = <L extends Lot>(amount: number, live: readonly L[]) => {
  const drained: L[] = [];
  let rest = amount;
  for (const lot of live) {
    if (rest < lot.remaining) {
      const reduced = rest > 0 ? { lot, remaining: lot.remaining - rest } : undefined;
      return { drained, reduced, fromUnlotted: 0 };
    }
    drained.push(lot);
    rest -= lot.remaining;
  }
  return { drained, reduced: undefined, fromUnlotted: rest };
};

/** One change closes at most this number of due lots, so that no change holds more of them in memory. */
export const dueAtOnce = 1000;

/** Tells whether more of these open lots are due than one change closes. */
export const hasTooManyDue = (open: readonly Lot[], at: string): boolean => isDue(open[dueAtOnce]?.expiresAt, at);

/**
 * Ends the due lots, at most `dueAtOnce` of them. Answers these, the lots that are left, and the balance after that.
 */
const closeDue = <L extends Lot>({ balance }: Holding, open: readonly L[], at: string) => {
  const due = open.slice(0, dueAtOnce).filter((lot) => isDue(lot.expiresAt, at));
  const lost = due.reduce((sum, { remaining }) => sum + remaining, 0);
  return { due, live: open.slice(due.length), balance: balance - lost };
};

/** Rules 7 to 12. A due lot is never drained: it ends first, in the same change. */
const increment = <L extends Lot>(
  holding: Holding,
  open: readonly L[],
  { delta, expiresAt, name = 'delta' }: Omit<Extract<CreditCommand, { kind: 'increment' }>, 'kind'>,
  at: string,
  limit: number,
): Plan<L> | RuleRefusal => {
  const { due, live, balance } = closeDue(holding, open, at);
  // A removal is allowed even if the limit was lowered below the balance since.
  if (delta > 0 && balance + delta > limit)
    return { refused: `${name} must not take the balance above the credit limit of ${limit}.` };
  // A balance that was below 0 before the command is not its fault: `booksFault` finds it in the plan.
  if (delta < 0 && balance >= 0 && balance + delta < 0)
    return { refused: `delta must not remove more than the customer holds, which is ${balance}.` };
  const { drained, reduced, fromUnlotted } = drain(Math.max(-delta, 0), live);
  const added = delta > 0 && expiresAt !== undefined ? { amount: delta, expiresAt } : undefined;
  const closed = [
    ...due.map((lot) => ({ lot, how: 'expired' as const })),
    ...drained.map((lot) => ({ lot, how: 'drained' as const })),
  ];
  const unlotted = holding.unlotted - fromUnlotted + (delta > 0 && !added ? delta : 0);
  const lots = holding.lots - closed.length + (added ? 1 : 0);
  // If no lot ends, the lots may not have been read at all.
  const firstLeft = closed.length === 0 ? holding.due : live[drained.length]?.expiresAt;
  const nextDue = earliest(firstLeft, added?.expiresAt);
  return {
    holding: makeHolding(balance + delta, unlotted, lots, nextDue),
    closed,
    ...(reduced && { reduced }),
    ...(added && { added: [added] }),
  };
};

const totalOf = (lots: readonly NewLot[]): number => lots.reduce((sum, { amount }) => sum + amount, 0);

/** Closes the due lots, then adds what comes back. A part whose expiry is over is not added: it has lapsed. */
const refund = <L extends Lot>(
  holding: Holding,
  open: readonly L[],
  { lots: back, unlotted }: Pick<Extract<CreditCommand, { kind: 'refund' }>, 'lots' | 'unlotted'>,
  at: string,
): Plan<L> => {
  const { due, live, balance } = closeDue(holding, open, at);
  const closed = due.map((lot) => ({ lot, how: 'expired' as const }));
  const added = back.filter(({ expiresAt }) => !isDue(expiresAt, at));
  const lapsed = totalOf(back) - totalOf(added);
  // If no lot ends, the lots may not have been read at all.
  const firstLeft = closed.length === 0 ? holding.due : live[0]?.expiresAt;
  const nextDue = earliest(firstLeft, ...added.map(({ expiresAt }) => expiresAt));
  const lots = holding.lots - closed.length + added.length;
  return {
    holding: makeHolding(balance + totalOf(added) + unlotted, holding.unlotted + unlotted, lots, nextDue),
    closed,
    ...(added.length > 0 && { added }),
    ...(lapsed > 0 && { lapsed }),
  };
};

/** Closes the due lots, then adds as much of a bonus as the limit leaves. */
const bonus = <L extends Lot>(
  holding: Holding,
  open: readonly L[],
  { amount, expiresAt, id }: Omit<Extract<CreditCommand, { kind: 'bonus' }>, 'kind'>,
  at: string,
  limit: number,
): Plan<L> => {
  const given = Math.max(0, Math.min(amount, limit - closeDue(holding, open, at).balance));
  const { lots, unlotted } =
    expiresAt === undefined || given === 0
      ? { lots: [], unlotted: given }
      : { lots: [{ amount: given, expiresAt, id }], unlotted: 0 };
  return { ...refund(holding, open, { lots, unlotted }, at), bonus: given };
};

/**
 * Closes the due lots, then takes back what is left of credit that a change gave: the whole of its lot or, of permanent
 * credit, at most its amount. It takes nothing from other lots. Also answers how many L$ it took.
 */
const takeBack = <L extends Lot>(
  holding: Holding,
  open: readonly L[],
  { amount, lot, most = amount }: Given,
  at: string,
): { plan: Plan<L>; amount: number } => {
  const plan = refund(holding, open, { lots: [], unlotted: 0 }, at);
  const { balance, unlotted, lots, due } = plan.holding;
  if (!lot) {
    const taken = Math.min(amount, most, unlotted);
    return { plan: { ...plan, holding: makeHolding(balance - taken, unlotted - taken, lots, due) }, amount: taken };
  }
  const live = open.slice(plan.closed.length);
  const taken = live.find(({ sk }) => isLot(sk, lot));
  if (!taken) return { plan, amount: 0 };
  const next = live[0] === taken ? live[1]?.expiresAt : due;
  const left = makeHolding(balance - taken.remaining, unlotted, lots - 1, next);
  return { plan: { ...plan, holding: left, taken }, amount: taken.remaining };
};

const isLot = (sk: string, { id }: { id: string }): boolean => sk.endsWith(`#${id}`);

/** The rest of what a change took once these L$ are paid from it, in drain order; it cannot fall below 0. */
const paidFrom = ({ lots, unlotted }: Taken, amount: number): Taken => {
  let due = amount;
  const rest = lots
    .toSorted((a, b) => (a.expiresAt < b.expiresAt ? -1 : 1))
    .map((lot) => {
      const paid = Math.min(due, lot.amount);
      due -= paid;
      return { ...lot, amount: lot.amount - paid };
    });
  return { lots: rest.filter((lot) => lot.amount > 0), unlotted: Math.max(0, unlotted - due) };
};

const undo = <L extends Lot>(
  holding: Holding,
  open: readonly L[],
  { of, gave, took }: Omit<Extract<CreditCommand, { kind: 'undo' }>, 'kind'>,
  at: string,
): Plan<L> => {
  const { plan, amount: taken } = takeBack(holding, open, gave, at);
  const { ended = 0 } = gave;
  const spent = gave.amount - taken - ended;
  const tookAll = totalOf(took.lots) + took.unlotted;
  const { lots, unlotted } = of === 'set' ? paidFrom(took, spent) : took;
  const back = { lots: joinedByExpiry(lots), unlotted };
  const given = totalOf(back.lots) + unlotted;
  const after = refund(plan.holding, [], back, at);
  const left = ended + (of === 'set' ? Math.max(0, spent - tookAll) : spent);
  const undone = { amount: given - taken, left };
  return { ...plan, ...after, closed: plan.closed, undone, ...(given === 0 && taken === 0 && { hasNoEffect: true }) };
};

/** The first open lots after a plan. A lot that the plan adds counts only by its expiry. */
export const openAfter = <L extends Lot>(open: readonly L[], { closed, reduced, added = [] }: Plan<L>): L[] => {
  const left = open.slice(closed.length);
  if (reduced) left[0] = { ...reduced.lot, remaining: reduced.remaining };
  const come = added.map(({ amount, expiresAt }) => ({ sk: '', expiresAt, remaining: amount }) as L);
  return [...left, ...come].sort((a, b) => (a.expiresAt < b.expiresAt ? -1 : a.expiresAt > b.expiresAt ? 1 : 0));
};

/**
 * Plans a command. `open` are open lots in their order: for a set all of them, otherwise as many of the first ones as
 * `isEnough` asks for. If too many are due for an increment or a refund, they must be closed first (`reconcile`).
 */
export const planCommand = <L extends Lot>(
  holding: Holding,
  open: readonly L[],
  command: CreditCommand,
  at: string,
  limit: number,
): Plan<L> | RuleRefusal => {
  if (command.kind === 'set') return set(command.credit, command.expiresAt, open, at);
  if (command.kind !== 'reconcile' && hasTooManyDue(open, at))
    throw new Error(`More than ${dueAtOnce} lots are due: this ${command.kind} would count some of them as live.`);
  if (command.kind === 'increment') return increment(holding, open, command, at, limit);
  if (command.kind === 'refund') return refund(holding, open, command, at);
  if (command.kind === 'bonus') return bonus(holding, open, command, at, limit);
  if (command.kind === 'undo') return undo(holding, open, command, at);
  if (command.kind === 'bonus-back') {
    const { plan, amount } = takeBack(holding, open, command, at);
    return { ...plan, bonus: 0 - amount };
  }
  return increment(holding, open, { delta: 0 }, at, Number.POSITIVE_INFINITY);
};

/** The lot that a command ends even if other lots come due before it. */
const lotToEnd = (command: CreditCommand): Given['lot'] => {
  if (command.kind === 'undo') return command.gave.lot;
  return command.kind === 'bonus-back' ? command.lot : undefined;
};

/**
 * Tells whether these first open lots are enough to decide a command. It needs the due lots, the lots that the command
 * drains, and one more, which says when the next lot comes due.
 */
export const isEnough = (open: readonly Lot[], command: CreditCommand, at: string): boolean => {
  if (command.kind === 'set') return false;
  if (hasTooManyDue(open, at)) return true;
  const live = open.filter(({ expiresAt }) => !isDue(expiresAt, at));
  // The last lot expires later than the change's own: so the own lot was read, or is not open any more.
  const lot = lotToEnd(command);
  if (lot) return (live.at(-1)?.expiresAt ?? '') > lot.expiresAt;
  const amount = command.kind === 'increment' ? Math.max(-command.delta, 0) : 0;
  const { drained } = drain(amount, live);
  return live.length > drained.length;
};

/** The fault of books that are about to be written; undefined if they add up. It guards against a bug of ours. */
export const booksFault = ({ balance, unlotted, lots }: Holding): string | undefined => {
  const amounts = [balance, unlotted, lots].every((amount) => Number.isSafeInteger(amount) && amount >= 0);
  const inLots = balance - unlotted;
  if (amounts && (lots === 0 ? inLots === 0 : inLots > 0)) return undefined;
  return `a balance of ${balance} cannot be ${unlotted} without lots and ${lots} open lots`;
};

/** Tells whether a command can be decided without any lot, since it ends none. */
export const touchesNoLot = ({ lots, due }: Holding, command: CreditCommand, at: string): boolean => {
  if (lots === 0) return true;
  if (isDue(due, at) || command.kind === 'set') return false;
  return command.kind === 'increment' ? command.delta > 0 : !lotToEnd(command);
};
