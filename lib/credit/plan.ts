import type { CreditLot, LotsRead } from './lot.ts';
import {
  booksFault,
  type CreditType,
  creditTypes,
  type Holding,
  hasTooManyDue,
  isDue,
  isEnough,
  type Plan,
  planCommand,
  touchesNoLot,
} from './rules.ts';
import { attributes, type CreditItem, holdingOf, type Part } from './state.ts';
import { isWhole, markOf, storedMark } from './whole-lots.ts';

/**
 * Decides a change of one customer's credit, of one type or of both, from what was read. Nothing here reads or writes,
 * or knows the time: so tests need no table.
 */

/** A customer's credit as it was read. */
export interface CreditFacts {
  item: CreditItem;
  /** The last change is so long ago that each of its items shows. */
  isAtRest: boolean;
  /** The lots that were read after the item, of each type of which any were. */
  lots: Partial<Record<CreditType, LotsRead>>;
}

/** Lots of the credit were read, after the customer's item. */
export const hasLots = ({ lots }: CreditFacts): boolean => Object.keys(lots).length > 0;

/** The lots of a type that a decision needs: those that are due, those that its command ends, and one more. */
export interface LotsNeed extends Part {
  /**
   * `all`: every lot that is due, however many there are. `alone`: only these, which is enough to know what can be
   * spent, but not to change it.
   */
  due?: 'all' | 'alone';
}

/** Nothing can be decided yet, but something else must be done first. */
export type NotYet =
  /** A large change of the customer's credit is still to be written. */
  | { kind: 'settle' }
  /** So many lots of a type are due that changes of their own must close them. */
  | { kind: 'close'; type: CreditType }
  /** More lots must be read. */
  | { kind: 'read'; lots: readonly LotsNeed[] }
  /**
   * Item and lots do not belong together: another writer came in between, or something does not show yet. Of a customer
   * at rest, all of it read at one moment, `fault` is one of the books.
   */
  | { kind: 'torn'; type: CreditType; fault: string };

/** A rule refuses the change. It counts if everything it was decided from was there at one moment. */
export interface RefusedPlan {
  kind: 'refused';
  message: string;
}

/** The plan of one command. */
export interface Planned extends Part {
  plan: Plan<CreditLot>;
  /** A set closes so many lots that they were not even read. */
  tooMany: boolean;
  /** The mark of the open lots before the change; undefined where it is not known. */
  mark?: string | undefined;
}

/** A change that can be made. */
export interface CreditPlan {
  kind: 'planned';
  /** One for each type that changes. The last has the highest number in history. */
  parts: Planned[];
  /** The customer's item with the new balances. */
  after: CreditItem;
}

export const isNotYet = (outcome: object): outcome is NotYet =>
  'kind' in outcome && ['settle', 'close', 'read', 'torn'].includes(String(outcome.kind));

const maxItems = 100;

/** Tells whether a transaction holds so many lots beside the customer, a new lot, a request's record and `others`. */
const fitsOne = (lots: number, others = 0): boolean => lots + 3 + others <= maxItems;

/** Tells whether a change ends or reduces more lots than one transaction holds beside those that it adds. */
export const isLarge = (planned: readonly Planned[], others: number): boolean => {
  const countOf = (lotsOf: (plan: Planned['plan']) => number): number =>
    planned.reduce((sum, { plan }) => sum + lotsOf(plan), 0);
  const changed = countOf(({ closed, reduced }) => closed.length + (reduced ? 1 : 0));
  const added = countOf((plan) => plan.added?.length ?? 0);
  return !fitsOne(changed, others + Math.max(added - 1, 0));
};

/** A holding after a change. */
export interface Held {
  type: CreditType;
  holding: Holding;
  /** Where they change. */
  epoch?: string | undefined;
  newest?: string | undefined;
  /** Of the open lots after the change. */
  mark?: string | undefined;
}

/** The attributes that hold it. */
export const heldAs = ({ type, holding, epoch, newest, mark }: Held) => {
  const names = attributes[type];
  return {
    [names.balance]: holding.balance,
    [names.unlotted]: holding.unlotted,
    [names.lots]: holding.lots,
    [names.due]: holding.due,
    [names.mark]: mark,
    ...(epoch !== undefined && { [names.epoch]: epoch }),
    ...(newest !== undefined && { [names.newest]: newest }),
  };
};

const isTorn = ({ item, isAtRest, lots }: CreditFacts, type: CreditType): boolean => {
  const read = lots[type];
  return read !== undefined && !isWhole(item, type, read, isAtRest);
};

const torn = ({ item, lots }: CreditFacts, type: CreditType): NotYet => {
  const holding = JSON.stringify(holdingOf(item, type));
  return {
    kind: 'torn',
    type,
    fault: `${lots[type]?.open.length} open lots were read, which are not those of ${holding}`,
  };
};

/** Tells whether the lots that were read of a type are all that a decision needs. */
export const reaches = (read: LotsRead | undefined, { command, due }: LotsNeed, at: string): boolean => {
  if (!read) return false;
  if (read.reach === 'end' || due === 'alone') return true;
  if (read.reach === 'due') return false;
  const isPastDue = read.open.length > 0 && !isDue(read.open.at(-1)?.expiresAt, at);
  return isEnough(read.open, command, at) && (due !== 'all' || isPastDue);
};

/**
 * The L$ of each type that a customer can spend at a time: the balances without the lots that have come due, counted as
 * a pending change will leave them. `most` is the most that is about to be taken: then the lots that are read are those
 * that a plan needs too. With `alone` only those are read that are due: the answer is an estimate.
 */
export const spendableOf = (
  facts: CreditFacts,
  at: string,
  { most = 0, alone = false }: { most?: number; alone?: boolean } = {},
): Record<CreditType, number> | NotYet => {
  const { item, lots } = facts;
  const command = { kind: 'increment', delta: -most } as const;
  const due = creditTypes.filter((type) => isDue(holdingOf(item, type).due, at));
  const needs = due.map((type): LotsNeed => ({ type, command, due: alone ? 'alone' : 'all' }));
  const unread = needs.filter((need) => !reaches(lots[need.type], need, at));
  if (unread.length > 0) return { kind: 'read', lots: unread };
  const tornType = due.find((type) => isTorn(facts, type));
  if (tornType) return torn(facts, tornType);
  const spendable = (type: CreditType): number => {
    const lost = (lots[type]?.open ?? []).filter(({ expiresAt }) => isDue(expiresAt, at));
    return holdingOf(item, type).balance - lost.reduce((sum, { remaining }) => sum + remaining, 0);
  };
  return { regular: spendable('regular'), restricted: spendable('restricted') };
};

/** A set closes so many lots by the change of the epoch that its transaction could not mark them: none is read. */
const closesUnread = ({ item, isAtRest }: CreditFacts, { type, command }: Part): boolean =>
  // While some may not show yet, they are read: those that did not show when the marks are written would stay open.
  command.kind === 'set' && !fitsOne(holdingOf(item, type).lots) && isAtRest;

/** The lots that a part of a change needs, if it needs any. */
const needOf = (facts: CreditFacts, part: Part, at: string): LotsNeed | undefined =>
  closesUnread(facts, part) || touchesNoLot(holdingOf(facts.item, part.type), part.command, at) ? undefined : part;

/** Tells whether changes of their own must close what is due of a type, before a part of a change can be decided. */
const closesFirst = (facts: CreditFacts, part: Part, at: string): boolean => {
  const { type, command } = part;
  // History tells what came due: a set that does not read the lots has it closed by a change of its own.
  if (closesUnread(facts, part)) return isDue(holdingOf(facts.item, type).due, at);
  if (command.kind === 'set' || command.kind === 'reconcile' || !needOf(facts, part, at)) return false;
  return hasTooManyDue(facts.lots[type]?.open ?? [], at);
};

/** Lots that were read to the end have their mark, whatever the item says. */
const markBefore = ({ item, lots }: CreditFacts, type: CreditType): string | undefined => {
  const read = lots[type];
  return read?.reach === 'end' ? markOf(read.open) : storedMark(item, type);
};

/** Plans a change of a customer's credit, of one type or both, or says what must be done first. */
export const planCredit = (
  facts: CreditFacts,
  parts: readonly Part[],
  at: string,
  limit: number,
): NotYet | RefusedPlan | CreditPlan => {
  const { item, lots } = facts;
  if (item.pending) return { kind: 'settle' };
  const needs = parts.flatMap((part) => needOf(facts, part, at) ?? []);
  const unread = needs.filter((need) => !reaches(lots[need.type], need, at));
  if (unread.length > 0) return { kind: 'read', lots: unread };
  const early = parts.find((part) => closesFirst(facts, part, at));
  if (early) return { kind: 'close', type: early.type };
  const tornNeed = needs.find(({ type }) => isTorn(facts, type));
  if (tornNeed) return torn(facts, tornNeed.type);

  const planned: Planned[] = [];
  for (const part of parts) {
    const { type, command } = part;
    const open = needs.includes(part) ? (lots[type]?.open ?? []) : [];
    const plan = planCommand(holdingOf(item, type), open, command, at, limit);
    if ('refused' in plan) return { kind: 'refused', message: plan.refused };
    planned.push({ type, command, plan, tooMany: closesUnread(facts, part), mark: markBefore(facts, type) });
  }
  // Nothing is written on top of books that do not add up.
  for (const { type, plan } of planned) {
    const fault = booksFault(plan.holding);
    if (fault !== undefined) return { kind: 'torn', type, fault };
  }
  const held = planned.map(({ type, plan }) => heldAs({ type, holding: plan.holding }));
  return { kind: 'planned', parts: planned, after: Object.assign({}, item, ...held) };
};
