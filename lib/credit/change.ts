import { demandUuid, findCustomerItem, getCustomerItem } from '../avatars/customers.ts';
import { now, timestamp } from '../clock.ts';
import type { Identifier } from '../identifier.ts';
import { logSink } from '../log.ts';
import { invalid, unavailable } from '../problem.ts';
import {
  answer,
  type Decision,
  decide,
  doFirst,
  type RefusedWrites,
  readAgain,
  recheck,
  writeAll,
} from '../table/decide.ts';
import type { Key } from '../table/schema.ts';
import type { CreditLot } from './lot.ts';
import { isUnchanged, withLots, withoutLots } from './lots.ts';
import { finishPending, tryToFinishPending } from './pending.ts';
import { changePlain } from './plain.ts';
import {
  type CreditFacts,
  type CreditPlan,
  hasLots,
  isLarge,
  isPrerequisite,
  type Prerequisite,
  planCredit,
} from './plan.ts';
import {
  type CreditCommand,
  type CreditType,
  checkCommand,
  creditTypes,
  dueAtOnce,
  isDue,
  type Plan,
} from './rules.ts';
import {
  type Author,
  type Cause,
  type Change,
  type ChangedCredit,
  type CreditItem,
  changedCreditOf,
  creditLimit,
  holdingOf,
  type Part,
} from './state.ts';
import { isChecksumOff } from './whole-lots.ts';
import { type OtherWrites, writesOf } from './writes.ts';

/** A change of a customer's credit, whatever its commands are. */
export type MoneyChange = Pick<Change, 'store' | 'uuid' | 'cause' | 'occasion' | 'hasTime'>;

/** The facts that a change of money is decided from. Each kind of change adds the other items that it needs. */
interface MoneyFacts {
  credit: CreditFacts;
  /** Other items, as they were read. The decision counts only if they and the credit were there at one moment. */
  seen?: readonly Key[];
}

/** The three acts of a change of money. */
interface MoneyActs<F extends MoneyFacts, O extends object, R> {
  /** Reads the facts, side by side where it can. `attempt` counts from 1. */
  read: (attempt: number) => Promise<F>;
  /**
   * Decides, and does nothing else. It is asked again as soon as the lots that it lacks are read. Throws if the request
   * is refused for a reason that has nothing to do with the credit.
   */
  judge: (facts: F) => Prerequisite | O;
  /**
   * Finds the result if an earlier copy of the request has made the change. Called before another change comes first.
   */
  findEarlier?: () => Promise<R | undefined>;
  /** The writes that were decided, or the answer if there is nothing to write. Throws if a rule refuses the change. */
  conclude: (facts: F, outcome: O) => Decision<R> | Promise<Decision<R>>;
}

/** The longest time that a request spends on closing due lots and finishing a pending change. */
const finishMillis = 5000;

/** Allows a request to close due lots, and to finish a pending change, for a limited time. */
export const forSomeTime = (): (() => boolean) => {
  const until = now() + finishMillis;
  return () => now() < until;
};

const finishInTime = async (store: string, item: CreditItem, hasTime: () => boolean): Promise<void> => {
  if (!(await finishPending(store, item, hasTime))) throw unavailable();
};

/**
 * Has torn facts read again. If the customer is at rest and everything was there at one moment, the books have a fault:
 * this logs it, which raises the alarm, and writes nothing.
 */
const tornDecision = async (
  { store, uuid }: MoneyChange,
  { credit, seen }: MoneyFacts,
  { type, fault }: Extract<Prerequisite, { kind: 'torn' }>,
): Promise<Decision<never>> => {
  if (!credit.isAtRest || !(await isUnchanged(credit, seen))) return readAgain();
  logSink.write({ level: 'ERROR', invariant: fault, store, customer: uuid, type });
  throw new Error(`The books do not add up: ${fault}.`);
};

/**
 * Changes a customer's credit, alone or together with other items, in three acts: it reads, judges what it has read,
 * and writes what was judged. If another change must come first, it makes that change by itself. Then, and after
 * another writer came between, all three acts begin again. Throws 503 if other writers do not let it through.
 */
export const changeMoney = <F extends MoneyFacts, O extends object, R>(
  change: MoneyChange,
  { read, judge, findEarlier, conclude }: MoneyActs<F, O, R>,
): Promise<R> => {
  const { store, cause, hasTime } = change;
  const decisionOf = async (facts: F): Promise<Decision<R>> => {
    const { credit } = facts;
    const outcome = judge(facts);
    if (!isPrerequisite(outcome)) return conclude(facts, outcome);
    if (outcome.kind === 'read')
      return decisionOf({ ...facts, credit: await withLots(store, credit, outcome.lots, cause.at) });
    const earlier = await findEarlier?.();
    if (earlier !== undefined) return answer(earlier);
    switch (outcome.kind) {
      case 'finish':
        return doFirst(() => finishInTime(store, credit.item, hasTime));
      case 'close':
        return doFirst(() => closeDue(change, outcome.type));
      case 'torn':
        return tornDecision(change, facts, outcome);
    }
  };
  return decide(async (attempt) => decisionOf(await read(attempt)), { hasTime });
};

/** Throws 400 if the facts that a rule refuses were there at one moment; otherwise the change is decided again. */
export const refuseIfCurrent = async ({ credit, seen }: MoneyFacts, message: string): Promise<Decision<never>> => {
  const isOneMoment = !hasLots(credit) && !seen;
  if (isOneMoment || (await isUnchanged(credit, seen))) throw invalid(message);
  return readAgain();
};

/** Logs checksums that are wrong though every item is visible. The lots are right; the change corrects the checksum. */
const warnOfChecksums = ({ store, uuid }: MoneyChange, { item, lots }: CreditFacts): void => {
  for (const type of creditTypes) {
    const read = lots[type];
    if (read && isChecksumOff(item, type, read))
      logSink.write({ level: 'WARN', wrongMark: type, store, customer: uuid });
  }
};

/**
 * The decision to carry out a plan, in one transaction with the writes of `others`. The transaction is refused unless
 * every lot that it ends is as it was read. If it has no room for all these lots, `isUnchanged` checks them first; the
 * transaction records the rest as pending, and the rest is written right afterwards. `isUnchanged` also checks the
 * credit if the plan does not change it.
 */
export const writeMoney = <R>(
  change: MoneyChange,
  { credit, seen }: MoneyFacts,
  { parts, after, needsLook }: CreditPlan,
  given: ({ answer: R; result?: never } | { result: R; answer?: never }) & {
    /** Is told what was refused: see `decide`. */
    ifRefused?: (refused: RefusedWrites) => Decision<R> | undefined;
    /** See `decide`. */
    ifContended?: Decision<R>;
  },
  others: OtherWrites = {},
): Decision<R> => {
  warnOfChecksums(change, credit);
  const { writes, pending } = writesOf(change, credit.item, parts, others);
  const finish = pending && (() => tryToFinishPending(change.store, { ...after, pending }, change.hasTime));
  const made = writeAll(writes, { ...given, after: finish });
  const isUnchecked = hasLots(credit) && isLarge(parts, others.writes?.length ?? 0);
  return isUnchecked || needsLook ? recheck(() => isUnchanged(credit, seen), made) : made;
};

/** Closes due lots of a type, at most 1,000, in a separate change. Answers which lots it closed. */
const closeDue = (change: MoneyChange, type: CreditType): Promise<Plan<CreditLot>['closed']> => {
  const part: Part = { type, command: { kind: 'reconcile' } };
  return changeMoney(change, {
    read: async () => ({ credit: withoutLots(await getCustomerItem(change.store, change.uuid)) }),
    judge: ({ credit }) => planCredit(credit, [part], change.cause.at, creditLimit()),
    conclude: (facts, outcome) => {
      if (outcome.kind === 'refused') return refuseIfCurrent(facts, outcome.message);
      const closed = outcome.parts.flatMap(({ plan }) => plan.closed);
      return closed.length === 0 ? answer(closed) : writeMoney(change, facts, outcome, { result: closed });
    },
  });
};

/**
 * Changes a customer's credit of one type by a command. Answers both balances after the change, and the change's
 * number. Throws 400 if a rule refuses it (then nothing is written), 404 for an unknown resident, and 503 if other
 * writers do not let it through.
 */
export const changeCredit = async (
  store: string,
  identifier: Identifier,
  type: CreditType,
  command: CreditCommand,
  author: Author,
): Promise<ChangedCredit> => {
  const cause: Cause = { at: timestamp(now()), ...author };
  checkCommand(command, cause.at, creditLimit());
  const hasTime = forSomeTime();
  const uuid = await demandUuid(store, identifier);
  const change: Change = { store, uuid, type, command, cause, hasTime };
  const plain = await changePlain(change);
  if (plain?.done) return plain.result;
  // The item that has just refused the plain change need not be read.
  const itemFor = (attempt: number) => (attempt === 1 && plain?.found) || getCustomerItem(store, uuid);
  return changeMoney(change, {
    read: async (attempt) => ({ credit: withoutLots(await itemFor(attempt)) }),
    judge: ({ credit }) => planCredit(credit, [change], cause.at, creditLimit()),
    conclude: (facts, planned) =>
      planned.kind === 'refused'
        ? refuseIfCurrent(facts, planned.message)
        : writeMoney(change, facts, planned, { answer: changedCreditOf(planned.after) }),
  });
};

/**
 * How many lots a customer's reconciliation closed, and the L$ that remained in them. It is finished if no lot is due
 * or pending any more.
 */
export interface Reconciliation {
  lots: number;
  amount: number;
  isFinished: boolean;
}

/** Closes a customer's due lots, of both types, and finishes a pending large change, while `hasTime` allows. */
export const reconcileCredit = async (
  store: string,
  uuid: string,
  by: string,
  hasTime: () => boolean,
): Promise<Reconciliation> => {
  const cause: Cause = { at: timestamp(now()), by };
  const done: Reconciliation = { lots: 0, amount: 0, isFinished: false };
  const item: CreditItem | undefined = await findCustomerItem(store, uuid);
  if (item && !(await finishPending(store, item, hasTime))) return done;
  for (const type of creditTypes) {
    if (!item || !isDue(holdingOf(item, type).due, cause.at)) continue;
    for (;;) {
      const closed = await closeDue({ store, uuid, cause, hasTime }, type);
      done.lots += closed.length;
      done.amount += closed.reduce((sum, { lot }) => sum + lot.remaining, 0);
      // Some of these lots may still be pending, which only another read would tell.
      if (!hasTime()) return done;
      if (closed.length < dueAtOnce) break;
    }
  }
  return { ...done, isFinished: true };
};
