import { unavailable } from '../problem.ts';
import { ConflictError, type Refusal } from './engine.ts';
import { targetOf, type Write } from './language.ts';
import { pauseHeld, pauseOvertaken } from './retry.ts';
import type { Key } from './schema.ts';
import { type OutsideId, type Precondition, transact, unrecorded, write } from './table.ts';

/**
 * Read, decide, write; and all of it again where another writer came between.
 *
 *     export const recordPurchase = (store: string, purchase: Purchase): Promise<boolean> =>
 *       decide(async () => {
 *         const [recorded, state] = await Promise.all([get(keyOf(purchase)), readState(store, purchase)]);
 *         if (recorded) return answer(false);
 *         return allOf(purchaseItems(store, purchase, state), { result: true });
 *       });
 *
 * How a step is written:
 *
 * - It reads, and returns a decision. It writes nothing itself, so that it may be asked as often as needed; it keeps
 *   nothing from an earlier asking but what `first` has brought.
 * - It throws what the request is refused with: a 400 or 404 ends the asking.
 * - Each write is on condition that the facts are as they were read. Its refusal is how `decide` learns of other
 *   writers.
 * - `answer` marks the change that a request makes: it is the handler's answer, which is recorded with the change where
 *   the request has an Idempotency-Key. `result` is handed to the caller and recorded nowhere. There is no default.
 * - `otherwise` is told what the conditions refused. It throws, or returns a decision made of the items found, or
 *   undefined to have the step asked again. Its writes are carried out at once where they follow the first refusal
 *   since the step was asked; later ones would be made of items that were found before a pause, so the step is asked
 *   instead.
 *
 * Nothing is asked again where an answer is missing: the write may be there. See retry.ts for the pauses.
 */
export type Decision<R> =
  | { kind: 'answer'; result: R }
  | { kind: 'one'; write: Write; how: SingleWriteOptions<unknown, R> }
  | { kind: 'all'; writes: readonly Write[]; how: TransactionOptions<R> }
  | { kind: 'first'; work: () => Promise<unknown>; isBrief: boolean }
  | { kind: 'again' }
  | { kind: 'held' }
  | { kind: 'look'; sees: () => Promise<boolean>; then: Decision<R> };

/** A decision that is made of the items which refused another. */
type Alternative<R> = Decision<R> | undefined | Promise<Decision<R> | undefined>;

/** Of the two exactly one: see `answer` and `result` above. */
type AnswerOrResult<G> = { answer: G; result?: never } | { result: G; answer?: never };

type SingleWriteOptions<T, R> = AnswerOrResult<(item: T) => R> & {
  /** Must hold for the answer of the item that an update finds. */
  ifMatch?: Precondition | undefined;
  /** Writes that belong into one transaction with it. Their conditions must hold sooner or later. */
  together?: readonly Write[] | undefined;
  /** An id that something outside the table may know from now on; a refusal takes this back. */
  outside?: Pick<OutsideId, 'use'> | undefined;
  otherwise?(found: T | undefined): Alternative<R>;
};

/** The writes of a transaction that their conditions refused. */
export interface RefusedWrites {
  /**
   * The refusal of the write of the item with this key, with the item that it found; undefined if it was not refused.
   */
  by<T extends object>(key: Key): { item: T | undefined } | undefined;
}

type TransactionOptions<R> = AnswerOrResult<R> & {
  /** Is carried out instead where another transaction holds an item. Without it the same transaction is sent again. */
  ifHeld?: Decision<R> | undefined;
  /** Follows the writes, before the result is handed out. */
  after?: (() => Promise<unknown>) | undefined;
  otherwise?(refused: RefusedWrites): Alternative<R>;
};

/** There is nothing to write. */
export const answer = <R>(result: R): Decision<R> => ({ kind: 'answer', result });

/** One write, which stays one: a transaction of it would cost twice. */
export const one = <T extends object, R>(write: Write, how: SingleWriteOptions<T, R>): Decision<R> => ({
  kind: 'one',
  write,
  how: how as SingleWriteOptions<unknown, R>,
});

/** Writes that are carried out together or not at all. */
export const allOf = <R>(writes: readonly Write[], how: TransactionOptions<R>): Decision<R> => ({
  kind: 'all',
  writes,
  how,
});

/**
 * Does another change before, by itself, and asks the step again, with all its attempts. Nothing of it is recorded. One
 * that is brief is made whether or not `mayGoOn` allows more.
 */
export const first = (work: () => Promise<unknown>, isBrief?: 'brief'): Decision<never> => ({
  kind: 'first',
  work,
  isBrief: isBrief !== undefined,
});

/** The facts that were read do not belong together: they are to be read again. */
export const again = (): Decision<never> => ({ kind: 'again' });

/** Other transactions hold what is to be written: it is to be decided of items as they are when those have ended. */
export const held = (): Decision<never> => ({ kind: 'held' });

/** Carries `then` out only if `sees`, which looks at the facts at one moment, finds them as they were read. */
export const look = <R>(sees: () => Promise<boolean>, then: Decision<R>): Decision<R> => ({ kind: 'look', sees, then });

/**
 * The outcome of a decision: a result, a decision to follow instead, or the reason for which the step is asked again.
 */
type DecisionOutcome<R> = { result: R } | { instead: Decision<R> } | 'overtaken' | 'torn' | 'held' | 'restarted';

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

const writeOne = async <R>(sent: Write, how: SingleWriteOptions<unknown, R>): Promise<DecisionOutcome<R>> => {
  const { answer: answerOf, ifMatch, together = [] } = how;
  const takeBack = how.outside?.use();
  const outcome = await write<object, unknown>(sent, { ...(answerOf && { answer: answerOf }), ifMatch, together });
  if (outcome.done) return { result: (how.result ? how.result(outcome.result) : outcome.result) as R };
  takeBack?.();
  return insteadOf(how.otherwise?.(outcome.found));
};

const writeAll = async <R>(writes: readonly Write[], how: TransactionOptions<R>): Promise<DecisionOutcome<R>> => {
  const { ifHeld } = how;
  const isAnswer = 'answer' in how;
  const result = (isAnswer ? how.answer : how.result) as R;
  try {
    const refusals = await transact(writes, isAnswer ? { answer: result } : undefined, { mayGiveWay: !!ifHeld });
    if (refusals) return insteadOf(how.otherwise?.(refusedOf(writes, refusals)));
  } catch (error) {
    if (ifHeld && error instanceof ConflictError) return { instead: ifHeld };
    throw error;
  }
  await how.after?.();
  return { result };
};

const carryOut = async <R>(decision: Decision<R>, mayGoOn: () => boolean): Promise<DecisionOutcome<R>> => {
  switch (decision.kind) {
    case 'answer':
      return { result: decision.result };
    case 'one':
      return writeOne(decision.write, decision.how);
    case 'all':
      return writeAll(decision.writes, decision.how);
    case 'first':
      if (!decision.isBrief && !mayGoOn()) throw unavailable();
      await unrecorded(decision.work);
      return 'restarted';
    case 'again':
      return 'torn';
    case 'held':
      return 'held';
    case 'look':
      return (await decision.sees()) ? carryOut(decision.then, mayGoOn) : 'torn';
  }
};

const mayWrite = ({ kind }: Decision<unknown>): boolean => kind === 'one' || kind === 'all' || kind === 'look';

/** Carries a decision out, and the one made of what refused it. */
const follow = async <R>(
  decision: Decision<R>,
  mayGoOn: () => boolean,
): Promise<Exclude<DecisionOutcome<R>, { instead: unknown }>> => {
  const outcome = await carryOut(decision, mayGoOn);
  if (typeof outcome === 'string' || 'result' in outcome) return outcome;
  const next = await carryOut(outcome.instead, mayGoOn);
  if (typeof next === 'string' || 'result' in next) return next;
  // The items found are of the past as soon as a second write was refused.
  return mayWrite(next.instead) ? 'overtaken' : follow(next.instead, mayGoOn);
};

/**
 * Asks `step` for a decision and carries it out; asks again, after a pause, where another writer came between, or where
 * the facts were torn: 20 times each. `number` counts the askings from 1. Throws what the step throws, and 503 where
 * other writers do not let it through, or `mayGoOn` does not allow what must be done first.
 */
export const decide = async <R>(
  step: (asking: { number: number }) => Decision<R> | Promise<Decision<R>>,
  { mayGoOn = () => true }: { mayGoOn?: () => boolean } = {},
): Promise<R> => {
  const times = { overtaken: 0, torn: 0, held: 0 };
  for (let number = 1; ; number++) {
    const outcome = await follow(await step({ number }), mayGoOn);
    if (typeof outcome === 'object') return outcome.result;
    if (outcome === 'restarted') times.overtaken = times.torn = times.held = 0;
    else if (outcome === 'held') await pauseHeld(++times.held);
    else await pauseOvertaken(++times[outcome]);
  }
};
