import { now } from '../../../lib/clock.ts';

/** The time of a world: milliseconds since 1970, and calls after a number of seconds. */
export interface Clock {
  now: () => number;
  after: (seconds: number, run: () => void) => void;
}

/** Time passes by itself, as it does for the service. */
export const realClock: Clock = {
  now,
  after: (seconds, run) => {
    // Without seconds there is no wait, not even for the next turn of the event loop.
    if (seconds > 0) setTimeout(run, Math.min(seconds * 1000, 0x7fffffff)).unref();
    else setImmediate(run);
  },
};

/** Time that passes only when it is told to. */
export const virtualClock = (startMillis: number): Clock & { advance: (seconds: number) => void } => {
  let millis = startMillis;
  // The call that is due first is the last.
  const waiting: { at: number; run: () => void }[] = [];
  return {
    now: () => millis,
    after: (seconds, run) => {
      const at = millis + seconds * 1000;
      waiting.splice(waiting.findLastIndex((other) => other.at > at) + 1, 0, { at, run });
    },
    /** Lets seconds pass. Everything due in them happens in its order. */
    advance: (seconds) => {
      const end = millis + seconds * 1000;
      while (waiting.length > 0 && (waiting.at(-1)?.at ?? 0) <= end) {
        const next = waiting.pop();
        millis = Math.max(millis, next?.at ?? 0);
        next?.run();
      }
      millis = end;
    },
  };
};
