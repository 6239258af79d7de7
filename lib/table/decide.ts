import { unavailable } from '../problem.ts';
import { ConflictError, type Refusal } from './engine.ts';
import { targetOf, type Write } from './language.ts';
import { pauseContended, pauseOvertaken } from './retry.ts';
import type { Key } from './schema.ts';
import { type OutsideId, type Precondition, transact, unrecorded, write } from './table.ts';

/**
 * Reads, decides and writes; and does all of it again if another writer came between.
 *
 *     export const recordPurchase = (store: string, purchase: Purchase): Promise<boolean> =>
 *       decide(async () => {
 *         const [recorded, state] = await Promise.all([get(keyOf(purchase)), readState(store, purchase)]);
 *         if (recorded) return answer(false);
 *         return writeAll(purchaseItems(store, purchase, state), { result: true });
 *       });
 *
 * How a step is written:
 *
 * - It reads, and returns a decision. It writes nothing itself, so that it may be asked as often as needed; it keeps
 *   nothing from an earlier attempt except the outcome of `doFirst`.
 * - It throws the refusal of a request: a 400 or 404 ends the attempts.
 * - Each write is on condition that the facts are as they were read. Its refusal is how `decide` learns of other
 *   writers.
 * - `answer` marks the change that a request makes: it is the handler's answer, which is recorded with the change if
 *   the request has an Idempotency-Key. `result` is handed to the caller and recorded nowhere. There is no default.
 * - `ifRefused` is told which conditions failed. It throws, or returns a decision made of the items found, or undefined
 *   to have the step asked again. Each attempt tries to write at most twice. If the second write is refused too, the
 *   step is asked again, since the items found may be old.
 *
 * If the answer to a write is lost, the step is not asked again, since the write may have been made. See retry.ts for
 * the pauses.
 */
export type Decision<R> =
  | { kind: 'answer'; result: R; isCurrent?: Recheck }
  | { kind: 'one'; write: Write; how: SingleWriteOptions<unknown, R> }
  | { kind: 'all'; writes: readonly Write[]; how: TransactionOptions<R>; isCurrent?: Recheck }
  | { kind: 'first'; work: () => Promise<unknown>; isBrief: boolean }
  | { kind: 'again'; because: 'stale' | 'contended' };

/** Reads the facts once more, at one moment: false if they have changed. */
type Recheck = () => Promise<boolean>;

/** The decisions that `recheck` takes. */
type Checkable<R> = Extract<Decision<R>, { isCurrent?: Recheck }>;

/** A decision that is made from the items which refused another one. */
type Alternative<R> = Decision<R> | undefined | Promise<Decision<R> | undefined>;

/** Exactly one of the two: see `answer` and `result` above. */
type AnswerOrResult<G> = { answer: G; result?: never } | { result: G; answer?: never };

type SingleWriteOptions<T, R> = AnswerOrResult<(item: T) => R> & {
  /** Must hold for the answer made from the item that an update finds. */
  ifMatch?: Precondition | undefined;
  /** Writes of the same transaction. Their conditions must hold sooner or later. */
  together?: readonly Write[] | undefined;
  /** Notes before the write that something outside the table may know the id. A refusal takes the note back. */
  outside?: Pick<OutsideId, 'use'> | undefined;
  ifRefused?(found: T | undefined): Alternative<R>;
};

/** The writes of a transaction that their conditions refused. */
export interface RefusedWrites {
  /** The refusal of the write under this key, with the item found there; undefined if the write was not refused. */
  by<T extends object>(key: Key): { item: T | undefined } | undefined;
}

type TransactionOptions<R> = AnswerOrResult<R> & {
  /** Is carried out instead if another transaction holds an item. Without it the same transaction is sent again. */
  ifContended?: Decision<R> | undefined;
  /** Runs after the writes, before the result is returned. */
  after?: (() => Promise<unknown>) | undefined;
  ifRefused?(refused: RefusedWrites): Alternative<R>;
};

/** A result, with nothing to write. */
export const answer = <R>(result: R): Checkable<R> => ({ kind: 'answer', result });

/** One write by itself. In a transaction it would cost twice as much. */
export const writeOne = <T extends object, R>(write: Write, how: SingleWriteOptions<T, R>): Decision<R> => ({
  kind: 'one',
  write,
  how: how as SingleWriteOptions<unknown, R>,
});

/** Writes that are carried out together or not at all. */
export const writeAll = <R>(writes: readonly Write[], how: TransactionOptions<R>): Checkable<R> => ({
  kind: 'all',
  writes,
  how,
});

/**
 * Makes another change first, by itself, and asks the step again, with all its attempts. The request's record holds
 * nothing of that change. A brief one is made even if `hasTime` says that no time is left.
 */
export const doFirst = (work: () => Promise<unknown>, isBrief?: 'brief'): Decision<never> => ({
  kind: 'first',
  work,
  isBrief: isBrief !== undefined,
});

/**
 * Has the step asked again, so that it reads the facts again: they contradict each other (`stale`), or other
 * transactions hold the items to be written (`contended`).
 */
export const readAgain = (because: 'stale' | 'contended' = 'stale'): Decision<never> => ({ kind: 'again', because });

/** Carries a decision out only if `isCurrent`, which reads the facts at one moment, finds them as they were read. */
export const recheck = <R>(isCurrent: Recheck, decision: Checkable<R>): Decision<R> => ({ ...decision, isCurrent });

/** The outcome of a decision: a result, a decision to follow instead, or the reason why the step is asked again. */
type DecisionOutcome<R> = { result: R } | { instead: Decision<R> } | 'overtaken' | 'stale' | 'contended' | 'restarted';

const refusedOf = (writes: readonly Write[], refusals: readonly Refusal[]): RefusedWrites => ({
  by: <T extends object>({ pk, sk }: Key) => {
    const place = writes.map(targetOf).findIndex((target) => target.pk === pk && target.sk === sk);
    const refusal = refusals[place];
    return refusal?.refused ? { item: refusal.item as T | undefined } : undefined;
  },
});

const insteadOf = async <R>(instead: Alternative<R>): Promise<DecisionOutcome<R>> => {
  const decision = await instead;
  return decision ? { instead: decision } : 'overtaken';
};

const sendOne = async <R>(sent: Write, how: SingleWriteOptions<unknown, R>): Promise<DecisionOutcome<R>> => {
  const { answer: answerOf, ifMatch, together = [] } = how;
  const takeBack = how.outside?.use();
  const outcome = await write<object, unknown>(sent, { ...(answerOf && { answer: answerOf }), ifMatch, together });
  if (outcome.done) return { result: (how.result ? how.result(outcome.result) : outcome.result) as R };
  takeBack?.();
  return insteadOf(how.ifRefused?.(outcome.found));
};

const sendAll = async <R>(writes: readonly Write[], how: TransactionOptions<R>): Promise<DecisionOutcome<R>> => {
  const { ifContended } = how;
  const isAnswer = 'answer' in how;
  const result = (isAnswer ? how.answer : how.result) as R;
  try {
    const refusals = await transact(writes, isAnswer ? { answer: result } : undefined, { mayGiveWay: !!ifContended });
    if (refusals) return insteadOf(how.ifRefused?.(refusedOf(writes, refusals)));
  } catch (error) {
    if (ifContended && error instanceof ConflictError) return { instead: ifContended };
    throw error;
  }
  await how.after?.();
  return { result };
};

const carryOut = async <R>(decision: Decision<R>, hasTime: () => boolean): Promise<DecisionOutcome<R>> => {
  if ('isCurrent' in decision && !(await decision.isCurrent?.())) return 'stale';
  switch (decision.kind) {
    case 'answer':
      return { result: decision.result };
    case 'one':
      return sendOne(decision.write, decision.how);
    case 'all':
      return sendAll(decision.writes, decision.how);
    case 'first':
      if (!decision.isBrief && !hasTime()) throw unavailable();
      await unrecorded(decision.work);
      return 'restarted';
    case 'again':
      return decision.because;
  }
};

const mayWrite = (decision: Decision<unknown>): boolean =>
  decision.kind === 'one' || decision.kind === 'all' || 'isCurrent' in decision;

/** Carries a decision out and, if it is refused, the decision made from the items found. */
const follow = async <R>(
  decision: Decision<R>,
  hasTime: () => boolean,
): Promise<Exclude<DecisionOutcome<R>, { instead: unknown }>> => {
  const outcome = await carryOut(decision, hasTime);
  if (typeof outcome === 'string' || 'result' in outcome) return outcome;
  const next = await carryOut(outcome.instead, hasTime);
  if (typeof next === 'string' || 'result' in next) return next;
  // The items found are old once a second write was refused.
  return mayWrite(next.instead) ? 'overtaken' : follow(next.instead, hasTime);
};

/**
 * Asks `step` for a decision and carries it out; asks again, after a pause, if another writer came between or the facts
 * were stale (20 times each), or if other transactions held its items (40 times). `attempt` counts from 1. Throws the
 * step's errors, and 503 if other writers do not let it through, or if no time is left for the change that must come
 * first.
 */
export const decide = async <R>(
  step: (attempt: number) => Decision<R> | Promise<Decision<R>>,
  { hasTime = () => true }: { hasTime?: () => boolean } = {},
): Promise<R> => {
  const times = { overtaken: 0, stale: 0, contended: 0 };
  for (let attempt = 1; ; attempt++) {
    const outcome = await follow(await step(attempt), hasTime);
    if (typeof outcome === 'object') return outcome.result;
    if (outcome === 'restarted') times.overtaken = times.stale = times.contended = 0;
    else if (outcome === 'contended') await pauseContended(++times.contended);
    else await pauseOvertaken(++times[outcome]);
  }
};
