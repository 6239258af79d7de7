import { setTimeout as sleep } from 'node:timers/promises';
import { now, source } from '../clock.ts';
import { unavailable } from '../problem.ts';
import { isPatient } from './client.ts';
import { Busy, Cancelled, Conflict, Refused } from './engine.ts';
import { requestMeter } from './meter.ts';

/** How often a call is sent, and the longest pause after each of its attempts. */
interface Patience {
  attempts: number;
  longestMillis: (attempt: number) => number;
}

/**
 * Waits after attempt number `attempt` (from 1): jittered, doubling from 40 ms. Throws when it was the last, or the request's
 * time is nearly over: `lost`, the failure of an attempt that may have been carried out, else 503.
 */
const wait = async ({ attempts, longestMillis }: Patience, attempt: number, lost?: unknown): Promise<void> => {
  const { retryUntil = Number.POSITIVE_INFINITY } = requestMeter() ?? {};
  if (attempt >= attempts || now() >= retryUntil) throw lost ?? unavailable();
  await sleep(source.random() * Math.min(20 * 2 ** attempt, longestMillis(attempt)));
};

const forCapacity: Patience = { attempts: 8, longestMillis: () => 1000 };

/** Waits before a retry of a call that the table was too busy for. Throws 503 after the last attempt. */
export const pause = (attempt: number): Promise<void> => wait(forCapacity, attempt);

/**
 * The table is not busy where another writer came first, and a long wait only meets more writers that began meanwhile: so it
 * is shorter, and more often. Who is overtaken again and again meets many writers that are as slow, and gives them more room.
 */
const forOthers: Patience = { attempts: 20, longestMillis: (attempt) => (attempt > 4 ? 600 : 200) };

/** Waits before a retry of a decision that another writer overtook. */
export const pauseOvertaken = (attempt: number): Promise<void> => wait(forOthers, attempt);

/** How often a write is sent whose answer does not come; each time may take as long as a request's timeout. */
const maxUnanswered = isPatient ? 8 : 3;

/** Tells whether the table may have carried out a call that failed. */
const isUnanswered = (error: unknown): boolean =>
  !(error instanceof Refused || error instanceof Cancelled) && (error as { $fault?: string }).$fault !== 'client';

/**
 * Sends a write until the table answers. Retries it where the table was busy or another transaction held one of its items,
 * and, if it is `repeatable`, where no answer came. Throws 503 where the table stays busy or held; but where an answer is
 * missing too, that failure, since the write may be there. `lost` is the failure of an earlier attempt that may have been
 * carried out, if there is one.
 */
export const untilAnswered = async <T>(send: (lost: unknown) => Promise<T>, repeatable: boolean): Promise<T> => {
  const unanswered: unknown[] = [];
  let [throttles, conflicts] = [0, 0];
  for (;;) {
    try {
      return await send(unanswered[0]);
    } catch (error) {
      if (error instanceof Conflict) await wait(forOthers, ++conflicts, unanswered[0]);
      else if (error instanceof Busy) await wait(forCapacity, ++throttles, unanswered[0]);
      else {
        if (!repeatable || !isUnanswered(error)) throw error;
        unanswered.push(error);
        if (unanswered.length >= maxUnanswered) throw error;
        await pause(unanswered.length);
      }
    }
  }
};
