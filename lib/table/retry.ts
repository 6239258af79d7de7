import { setTimeout as sleep } from 'node:timers/promises';
import { source } from '../clock.ts';
import { unavailable } from '../problem.ts';
import { isPatient } from './client.ts';
import { Busy, Cancelled, Refused } from './engine.ts';

/** Waits after attempt number `attempt` (from 1): jittered, doubling from 40 ms. Throws 503 when it was the last. */
const pauseUpTo = async (longestMillis: number, attempt: number, most: number): Promise<void> => {
  if (attempt >= most) throw unavailable();
  await sleep(source.random() * Math.min(20 * 2 ** attempt, longestMillis));
};

const maxAttempts = 8;

/** Waits before a retry of a call that the table was too busy for. Throws 503 after the last attempt. */
export const pause = (attempt: number): Promise<void> => pauseUpTo(1000, attempt, maxAttempts);

/**
 * Waits before a retry of a decision that another writer overtook. The table is not busy then, and a long wait only meets
 * more writers that began meanwhile: so it is shorter, and more often. Who is overtaken again and again meets many writers
 * that decide as slowly, and gives them more room.
 */
export const pauseOvertaken = (attempt: number): Promise<void> => pauseUpTo(attempt > 4 ? 600 : 200, attempt, 20);

/** How often a write is sent whose answer does not come; each time may take as long as a request's timeout. */
const maxUnanswered = isPatient ? 8 : 3;

/** Tells whether the table may have carried out a call that failed. */
const isUnanswered = (error: unknown): boolean =>
  !(error instanceof Refused || error instanceof Cancelled) && (error as { $fault?: string }).$fault !== 'client';

/**
 * Sends a write until the table answers. Retries it where the table was busy, and, if it is `repeatable`, where no answer
 * came. Throws 503 where the table stays busy; but where an answer is missing too, that failure, since the write may be
 * there. `lost` is the failure of an earlier attempt that may have been carried out, if there is one.
 */
export const untilAnswered = async <T>(send: (lost: unknown) => Promise<T>, repeatable: boolean): Promise<T> => {
  const unanswered: unknown[] = [];
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(unanswered[0]);
    } catch (error) {
      if (!(error instanceof Busy)) {
        if (!repeatable || !isUnanswered(error)) throw error;
        unanswered.push(error);
      }
      if (unanswered.length >= maxUnanswered) throw error;
      if (attempt >= maxAttempts && unanswered.length > 0) throw unanswered[0];
      await pause(attempt);
    }
  }
};
