import { now, timestamp } from '../clock.ts';
import type { Identifier } from '../identifier.ts';
import { logSink } from '../log.ts';
import { invalid, unavailable } from '../problem.ts';
import type { CustomerCredit } from '../routes/credit.ts';
import { findCustomerItem, getCustomerItem, uuidOf } from '../store/customers.ts';
import type { Write } from '../table/language.ts';
import { pauseOvertaken } from '../table/retry.ts';
import type { Key } from '../table/schema.ts';
import { transact, write } from '../table/table.ts';
import type { CreditLot } from './lot.ts';
import { factsOf, isCurrent, settle, settleOrLeave, withLots } from './lots.ts';
import { isLarge, type Planned, planCredit } from './plan.ts';
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
  type CreditItem,
  creditLimit,
  creditOf,
  holdingOf,
  type Part,
} from './state.ts';
import { fastUpdate, type Others, writesOf } from './writes.ts';

/** The result of a change. */
interface Changed<R> {
  result: R;
  closed: Plan<CreditLot>['closed'];
}

/** A change of credit together with other items, decided from those as they were read. */
export interface Joined<R> {
  /** One for each type that changes. The last has the highest number in history. */
  parts: readonly Part[];
  /** The other items as they were read. */
  read: readonly Key[];
  /** The writes of the other items, each on condition that nothing has changed that it was decided from. */
  writes: (planned: readonly Planned[]) => readonly Write[];
  /** Attributes of the customer's item that change beside the credit. */
  customer?: Partial<CreditItem>;
  /** The request's answer, given both balances after the change. */
  answer: (credit: CustomerCredit) => R;
}

/** Logs books that do not add up, for the alarm, and throws: nothing is written on top of them. */
const failBooks = ({ store, uuid }: Change, type: CreditType, fault: string): never => {
  logSink.write({ level: 'ERROR', invariant: fault, store, customer: uuid, type });
  throw new Error(`The books do not add up: ${fault}.`);
};

/** The writes that belong into a change with these plans. */
const othersOf = (joined: Joined<unknown> | undefined, planned: readonly Planned[]): Others => ({
  writes: joined?.writes(planned),
  customer: joined?.customer,
});

/** The time that a request spends at the most on closing due lots and settling a pending change. */
const settleMillis = 5000;

const forSomeTime = (): (() => boolean) => {
  const until = now() + settleMillis;
  return () => now() < until;
};

interface Joining<R> {
  /** The customer's item as a write has just found it. */
  found: CreditItem | undefined;
  /** Reads the other items and decides, given the customer's item. */
  join: (item: Promise<CreditItem>) => Promise<Joined<R>>;
  /** Throws 404 for no such resident, unless another one is given. */
  readItem: () => Promise<CreditItem>;
}

/**
 * The general path: reads the customer and the lots that matter, decides, and writes the whole decision in one
 * transaction, if the customer's credit has not changed since; else it decides anew. The part that does not fit into
 * one transaction is recorded by it, and written right afterwards. `join` is asked anew for each decision.
 */
const changeByPlan = async <R = CustomerCredit>(
  asked: Change,
  { found, join, readItem = () => getCustomerItem(asked.store, asked.uuid) }: Partial<Joining<R>> = {},
): Promise<Changed<R>> => {
  const { store, cause, mayGoOn } = asked;
  let known = found;
  for (let attempt = 1; ; attempt++) {
    const read = known ? Promise.resolve(known) : readItem();
    const reads = [read, join?.(read)] as const;
    // Both are over before the request is answered, also where one fails.
    await Promise.allSettled(reads);
    const [item, joined] = await Promise.all(reads);
    known = undefined;
    const resultOf = (credit: CustomerCredit): R => (joined ? joined.answer(credit) : (credit as R));
    if (item.pending) {
      if (!(await settle(store, item, mayGoOn))) throw unavailable();
      continue;
    }
    const parts: readonly Part[] = joined?.parts ?? [asked];
    let facts = factsOf(item);
    let outcome = planCredit(facts, parts, cause.at, creditLimit());
    if (outcome.kind === 'read') {
      facts = await withLots(store, facts, outcome.lots, cause.at);
      outcome = planCredit(facts, parts, cause.at, creditLimit());
    }
    if (outcome.kind === 'close') {
      if (!mayGoOn()) throw unavailable();
      await changeByPlan({ ...asked, type: outcome.type, command: { kind: 'reconcile' } });
      attempt = 0;
      continue;
    }
    if (outcome.kind === 'torn' && facts.isAtRest && (await isCurrent(facts, joined?.read)))
      failBooks(asked, outcome.type, outcome.fault);
    const hasReadLots = Object.keys(facts.lots).length > 0;
    if (outcome.kind === 'refused') {
      // The reads of `join` tell how much it may take: where the lots do not have it, they are of another moment.
      const isTaken = joined && parts.some(({ command }) => command.kind === 'increment' && command.delta < 0);
      const needsLook = hasReadLots || joined;
      if (!isTaken && (!needsLook || (await isCurrent(facts, joined?.read)))) throw invalid(outcome.message);
    }
    const others = outcome.kind === 'planned' ? othersOf(joined, outcome.parts) : {};
    const needsLook = outcome.kind === 'planned' && hasReadLots && isLarge(outcome.parts, others.writes?.length ?? 0);
    if (outcome.kind !== 'planned' || (needsLook && !(await isCurrent(facts, joined?.read)))) {
      await pauseOvertaken(attempt);
      continue;
    }
    const { parts: planned, after } = outcome;
    const closed = planned.flatMap(({ plan }) => plan.closed);
    const isReconcile = !joined && asked.command.kind === 'reconcile';
    if (isReconcile && closed.length === 0) return { result: resultOf(creditOf(item)), closed };
    const { writes, pending } = writesOf(asked, item, planned, others);
    const result = resultOf(creditOf(after));
    // A request's own change is recorded with its answer; the closing of due lots before it is not.
    if (await transact(writes, isReconcile ? undefined : { answer: result })) {
      await pauseOvertaken(attempt);
      continue;
    }
    if (pending) await settleOrLeave(store, { ...after, pending }, mayGoOn);
    return { result, closed };
  }
};

/**
 * Changes a customer's credit of one type by a command, and answers both balances after it. Throws 400 where a rule
 * refuses it (then nothing is written), 404 for no such resident, 503 where other writers do not let it through.
 */
export const changeCredit = async (
  store: string,
  identifier: Identifier,
  type: CreditType,
  command: CreditCommand,
  author: Author,
): Promise<CustomerCredit> => {
  const cause: Cause = { at: timestamp(now()), ...author };
  checkCommand(command, cause.at, creditLimit());
  const mayGoOn = forSomeTime();
  const change: Change = { store, uuid: await uuidOf(store, identifier), type, command, cause, mayGoOn };
  const fast = fastUpdate(change);
  const outcome = fast && (await write<CreditItem, CustomerCredit>(fast, { answer: creditOf }));
  if (outcome?.done) return outcome.result;
  return (await changeByPlan(change, { found: outcome?.found })).result;
};

/**
 * Changes a customer's credit, of one type or both, together with other items in one transaction. `join` reads those
 * and decides: it is called again whenever they or the credit have changed since. Throws what `join` throws, 400 where
 * a rule refuses a command of its (then nothing is written), 404 for no such resident, 503 where other writers do not
 * let it through.
 */
export const changeTogether = async <R>(
  store: string,
  uuid: string,
  cause: Cause,
  occasion: NonNullable<Change['occasion']>,
  joining: Pick<Joining<R>, 'join'> & Partial<Joining<R>>,
): Promise<R> => {
  const none = { type: 'regular', command: { kind: 'reconcile' } } as const;
  const { result } = await changeByPlan({ store, uuid, ...none, cause, occasion, mayGoOn: forSomeTime() }, joining);
  return result;
};

/** The lots that a customer's reconciliation closed, the L$ that remained in them, and whether nothing due is left. */
export interface Reconciled {
  lots: number;
  amount: number;
  isFinished: boolean;
}

/**
 * Closes a customer's due lots, of both types, and finishes a pending large change, for as long as `mayGoOn` allows.
 */
export const reconcileCredit = async (
  store: string,
  uuid: string,
  by: string,
  mayGoOn: () => boolean,
): Promise<Reconciled> => {
  const cause: Cause = { at: timestamp(now()), by };
  const done: Reconciled = { lots: 0, amount: 0, isFinished: false };
  const item: CreditItem | undefined = await findCustomerItem(store, uuid);
  if (item && !(await settle(store, item, mayGoOn))) return done;
  for (const type of creditTypes) {
    if (!item || !isDue(holdingOf(item, type).due, cause.at)) continue;
    for (;;) {
      const change: Change = { store, uuid, type, command: { kind: 'reconcile' }, cause, mayGoOn };
      const { closed } = await changeByPlan(change);
      done.lots += closed.length;
      done.amount += closed.reduce((sum, { lot }) => sum + lot.remaining, 0);
      if (closed.length < dueAtOnce) break;
      if (!mayGoOn()) return done;
    }
  }
  return { ...done, isFinished: true };
};
