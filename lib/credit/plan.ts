import type { CreditLot, LotsRead } from './lot.ts';
import {
  booksFault,
  type CreditType,
  creditTypes,
  type Holding,
  hasTooManyDue,
  isDue,
  isEnough,
  openAfter,
  type Plan,
  planCommand,
  touchesNoLot,
  type Undone,
} from './rules.ts';
import { attributes, type CreditItem, holdingOf, type Part } from './state.ts';
import { areWhole, checksumOf, storedChecksum } from './whole-lots.ts';

/**
 * Decides a change of one customer's credit, of one type or of both, from what was read. Nothing here reads, writes or
 * asks for the time, so tests need no table.
 */

/** A customer's credit as it was read. */
export interface CreditFacts {
  item: CreditItem;
  /** The last change is old enough that each of its items is visible. */
  isAtRest: boolean;
  /** The lots that were read after the item, by type; a type whose lots were not read is missing. */
  lots: Partial<Record<CreditType, LotsRead>>;
}

/** True if lots were read after the customer's item. */
export const hasLots = ({ lots }: CreditFacts): boolean => Object.keys(lots).length > 0;

/** Lots of one type that a decision needs: the due lots, the lots that its command ends, and one more. */
export interface LotsNeed extends Part {
  /**
   * `all`: every lot that is due, however many there are. `alone`: only these, which is enough to know what can be
   * spent, but not to change it.
   */
  due?: 'all' | 'alone';
}

/** Something that must be done before anything can be decided. */
export type Prerequisite =
  /** A large change of the customer's credit must still be written. */
  | { kind: 'finish' }
  /** Too many lots of a type are due for this change: separate changes must close them first. */
  | { kind: 'close'; type: CreditType }
  /** More lots must be read. */
  | { kind: 'read'; lots: readonly LotsNeed[] }
  /**
   * Item and lots contradict each other: another writer came in between, or an item is not visible yet. If a customer
   * is at rest and all items were read at one moment, `fault` is a fault of the books.
   */
  | { kind: 'torn'; type: CreditType; fault: string };

/** A rule refuses the change. The refusal counts only if all facts behind it were there at one moment. */
export interface RefusedPlan {
  kind: 'refused';
  message: string;
}

/** The plan of one command. */
export interface PlannedPart extends Part {
  plan: Plan<CreditLot>;
  /** True if a set closes more lots than its transaction has room for. They were not even read. */
  tooMany: boolean;
  /** The checksum of the type's open lots before the whole change; undefined if it is not known. */
  checksum?: string | undefined;
}

/** A change that can be made. */
export interface CreditPlan {
  kind: 'planned';
  /** One part for each row of history, in the rows' order: at most one for each type, and one for a bonus. */
  parts: PlannedPart[];
  /** The customer's item with the new balances, and the number of the change. */
  after: CreditItem;
  /** The plan changes no credit, so no write checks that the credit is as it was read. Another read must. */
  needsLook: boolean;
  /** The result of an undo, also of one with nothing left. */
  undone?: Undone | undefined;
}

/** The L$ of the bonus that a change gives; negative if it takes a bonus back. */
export const bonusIn = ({ parts }: Pick<CreditPlan, 'parts'>): number =>
  parts.reduce((sum, { plan }) => sum + (plan.bonus ?? 0), 0);

export const isPrerequisite = (outcome: object): outcome is Prerequisite =>
  'kind' in outcome && ['finish', 'close', 'read', 'torn'].includes(String(outcome.kind));

const maxItems = 100;

/** Tells whether a transaction has room for these lots beside customer, new lot, request's record and `others`. */
const fitsOne = (lots: number, others = 0): boolean => lots + 3 + others <= maxItems;

/** Tells whether a change ends or reduces more lots than one transaction has room for beside the lots that it adds. */
export const isLarge = (planned: readonly PlannedPart[], others: number): boolean => {
  const countOf = (lotsOf: (plan: PlannedPart['plan']) => number): number =>
    planned.reduce((sum, { plan }) => sum + lotsOf(plan), 0);
  const changed = countOf(({ closed, reduced, taken }) => closed.length + (reduced ? 1 : 0) + (taken ? 1 : 0));
  const added = countOf((plan) => plan.added?.length ?? 0);
  return !fitsOne(changed, others + Math.max(added - 1, 0));
};

export interface ChangedHolding {
  type: CreditType;
  holding: Holding;
  /** The new epoch, and the sort key of the newest lot, if they change. */
  epoch?: string | undefined;
  newest?: string | undefined;
  /** The checksum of the open lots after the change. */
  checksum?: string | undefined;
}

/** The attributes of a customer's item for a holding. */
export const heldAs = ({ type, holding, epoch, newest, checksum }: ChangedHolding) => {
  const names = attributes[type];
  return {
    [names.balance]: holding.balance,
    [names.unlotted]: holding.unlotted,
    [names.lots]: holding.lots,
    [names.due]: holding.due,
    [names.checksum]: checksum,
    ...(epoch !== undefined && { [names.epoch]: epoch }),
    ...(newest !== undefined && { [names.newest]: newest }),
  };
};

const isTorn = ({ item, isAtRest, lots }: CreditFacts, type: CreditType): boolean => {
  const read = lots[type];
  return read !== undefined && !areWhole(item, type, read, isAtRest);
};

const torn = ({ item, lots }: CreditFacts, type: CreditType): Prerequisite => {
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
 * The L$ of each type that a customer can spend at a time: the balance without the lots that have come due. A pending
 * change counts as carried out. `most` is the largest amount that is about to be taken; with it, the lots that a plan
 * needs are read too. With `alone` only the due lots are read: the answer is an estimate.
 */
export const spendableOf = (
  facts: CreditFacts,
  at: string,
  { most = 0, alone = false }: { most?: number; alone?: boolean } = {},
): Record<CreditType, number> | Prerequisite => {
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

/** Tells whether a set closes its lots unread, since a transaction has no room for them: the new epoch closes them. */
const closesUnread = ({ item, isAtRest }: CreditFacts, { type, command }: Part): boolean =>
  // Lots that may not be visible yet must be read, since one that is not visible when lots are closed would stay open.
  command.kind === 'set' && !fitsOne(holdingOf(item, type).lots) && isAtRest;

/** The lots that a part of a change needs, if it needs any. */
const needOf = (facts: CreditFacts, part: Part, at: string): LotsNeed | undefined =>
  closesUnread(facts, part) || touchesNoLot(holdingOf(facts.item, part.type), part.command, at) ? undefined : part;

/** Tells whether separate changes must close the due lots of a type before a part of a change can be decided. */
const closesFirst = (facts: CreditFacts, part: Part, at: string): boolean => {
  const { type, command } = part;
  // History must tell what came due. So if a set does not read its lots, a separate change closes the due ones.
  if (closesUnread(facts, part)) return isDue(holdingOf(facts.item, type).due, at);
  if (command.kind === 'set' || command.kind === 'reconcile' || !needOf(facts, part, at)) return false;
  return hasTooManyDue(facts.lots[type]?.open ?? [], at);
};

/** The checksum before a change: of the open lots if all were read, otherwise the stored one. */
const checksumBefore = ({ item, lots }: CreditFacts, type: CreditType): string | undefined => {
  const read = lots[type];
  return read?.reach === 'end' ? checksumOf(read.open) : storedChecksum(item, type);
};

/**
 * Plans a change of a customer's credit, of one type or both, or says what must be done first. The parts follow each
 * other: the part of a bonus is the last, and finds what an earlier part of its type has left.
 */
export const planCredit = (
  facts: CreditFacts,
  parts: readonly Part[],
  at: string,
  limit: number,
): Prerequisite | RefusedPlan | CreditPlan => {
  const { item, lots } = facts;
  if (item.pending) return { kind: 'finish' };
  const needs = parts.flatMap((part) => needOf(facts, part, at) ?? []);
  const unread = needs.filter((need) => !reaches(lots[need.type], need, at));
  if (unread.length > 0) return { kind: 'read', lots: unread };
  const early = parts.find((part) => closesFirst(facts, part, at));
  if (early) return { kind: 'close', type: early.type };
  const tornNeed = needs.find(({ type }) => isTorn(facts, type));
  if (tornNeed) return torn(facts, tornNeed.type);

  const planned: PlannedPart[] = [];
  const held = new Map(creditTypes.map((type) => [type, holdingOf(item, type)]));
  const open = new Map(needs.map(({ type }) => [type, lots[type]?.open ?? []]));
  let undone: Undone | undefined;
  for (const part of parts) {
    const { type, command } = part;
    const ours = open.get(type) ?? [];
    const plan = planCommand(held.get(type) as Holding, ours, command, at, limit);
    if ('refused' in plan) return { kind: 'refused', message: plan.refused };
    undone = plan.undone;
    if (plan.bonus === 0 || plan.hasNoEffect) continue;
    planned.push({ type, command, plan, tooMany: closesUnread(facts, part), checksum: checksumBefore(facts, type) });
    held.set(type, plan.holding);
    open.set(type, openAfter(ours, plan));
  }
  // Nothing is written on top of books that do not add up.
  for (const { type, plan } of planned) {
    const fault = booksFault(plan.holding);
    if (fault !== undefined) return { kind: 'torn', type, fault };
  }
  const after = planned.map(({ type, plan }) => heldAs({ type, holding: plan.holding }));
  const needsLook = planned.length === 0 && parts.length > 0;
  const creditVersion = (item.creditVersion ?? 0) + planned.length;
  const changed = planned.length > 0 ? { creditVersion } : {};
  return { kind: 'planned', parts: planned, after: Object.assign({}, item, ...after, changed), needsLook, undone };
};
