import { setTimeout as sleep } from 'node:timers/promises';
import { now, source } from '../clock.ts';
import { unavailable } from '../problem.ts';
import { isPatient } from './client.ts';
import { BusyError, CancelledError, ConflictError, RefusedError } from './engine.ts';
import { requestMeter } from './meter.ts';

/** A number of attempts, and the longest pause between two of them. */
interface Patience {
  attempts: number;
  longestMillis: number;
}

/**
 * Waits after attempt number `attempt` (from 1). The pauses are jittered and double from 40 ms. Throws after the last
 * attempt, or when the request's time is nearly over: `lost`, the failure of an attempt that may have been carried out,
 * otherwise 503.
 */
const wait = async (attempt: number, { attempts, longestMillis }: Patience, lost?: unknown): Promise<void> => {
  const { retryUntil = Number.POSITIVE_INFINITY } = requestMeter() ?? {};
  if (attempt >= attempts || now() >= retryUntil) throw lost ?? unavailable();
  await sleep(source.random() * Math.min(20 * 2 ** attempt, longestMillis));
};

const forCapacity: Patience = { attempts: 8, longestMillis: 1000 };

/**
 * A conflict is over in milliseconds, so the first pauses are enough for most. If a crowd writes one item, each writer
 * must have a turn: the longer pauses make room for that.
 */
const forConflicts: Patience = { attempts: 20, longestMillis: 1000 };

/** Waits before a retry of a call that the table was too busy for. Throws 503 after the last attempt. */
export const pause = (attempt: number): Promise<void> => wait(attempt, forCapacity);

/**
 * Waits before a retry of a decision that another writer overtook. The table is not busy then, and during a long pause
 * more writers would begin: so the pauses are short, and there are more of them. A writer that is overtaken again and
 * again competes with many others, and makes longer pauses to give them room.
 */
export const pauseOvertaken = (attempt: number): Promise<void> =>
  wait(attempt, { attempts: 20, longestMillis: attempt > 4 ? 600 : 200 });

/**
 * Waits before a decision is made again because other transactions held its items. All writers of a crowd must have
 * their turn, one after another.
 */
export const pauseContended = (attempt: number): Promise<void> =>
  wait(attempt, { attempts: 40, longestMillis: attempt > 4 ? 600 : 200 });

/** Waits before another look at history, which the stream's consumer writes. Throws 503 after about two seconds. */
export const pauseForHistory = (attempt: number): Promise<void> => wait(attempt, { attempts: 10, longestMillis: 640 });

/**
 * Calls `step` with a number, from 1, until it answers a result. Undefined says that another writer came between. A
 * step may write more than once; a caller that writes once, or once in a transaction, uses `decide`. Throws 503 after
 * 20 calls.
 */
export const repeat = async <R>(step: (number: number) => Promise<{ result: R } | undefined>): Promise<R> => {
  for (let number = 1; ; number++) {
    const answer = await step(number);
    if (answer) return answer.result;
    await pauseOvertaken(number);
  }
};

/** How often a write is sent if no answer comes. Each attempt may take as long as the client's time-out. */
const maxUnanswered = isPatient ? 8 : 3;

/** Tells whether the table may have carried out a call that failed. */
const isUnanswered = (error: unknown): boolean =>
  !(error instanceof RefusedError || error instanceof CancelledError) &&
  (error as { $fault?: string }).$fault !== 'client';

/**
 * Sends a write until the table answers. Retries it if the table was busy or another transaction held one of its items;
 * and, if it is `repeatable`, also if no answer came. Throws 503 if the table stays busy or held. But if an answer is
 * missing too, it throws that failure, since the write may have been carried out. `lost` is the failure of an earlier
 * attempt that may have been carried out, if there is one. With `mayGiveWay` it throws a conflict at once, unless an
 * earlier attempt may have been carried out.
 */
export const untilAnswered = async <T>(
  send: (lost: unknown) => Promise<T>,
  repeatable: boolean,
  mayGiveWay = false,
): Promise<T> => {
  const unanswered: unknown[] = [];
  let [throttles, conflicts] = [0, 0];
  for (;;) {
    try {
      return await send(unanswered[0]);
    } catch (error) {
      if (error instanceof ConflictError) {
        if (mayGiveWay && unanswered.length === 0) throw error;
        await wait(++conflicts, forConflicts, unanswered[0]);
      } else if (error instanceof BusyError) await wait(++throttles, forCapacity, unanswered[0]);
      else {
        if (!repeatable || !isUnanswered(error)) throw error;
        unanswered.push(error);
        if (unanswered.length >= maxUnanswered) throw error;
        await pause(unanswered.length);
      }
    }
  }
};
