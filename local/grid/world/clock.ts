import { now } from '../../../lib/clock.ts';

/** The time of a world. `now` is in milliseconds since 1970; `after` calls `run` after some seconds. */
export interface Clock {
  now: () => number;
  after: (seconds: number, run: () => void) => void;
}

/** The time of the service, which passes by itself. */
export const realClock: Clock = {
  now,
  after: (seconds, run) => {
    // Without seconds, it runs as soon as the event loop is free.
    if (seconds > 0) setTimeout(run, Math.min(seconds * 1000, 0x7fffffff)).unref();
    else setImmediate(run);
  },
};

/** A clock that only `advance` moves. */
export const virtualClock = (startMillis: number): Clock & { advance: (seconds: number) => void } => {
  let millis = startMillis;
  // The last call is due first.
  const waiting: { at: number; run: () => void }[] = [];
  return {
    now: () => millis,
    after: (seconds, run) => {
      const at = millis + seconds * 1000;
      waiting.splice(waiting.findLastIndex((other) => other.at > at) + 1, 0, { at, run });
    },
    /** Lets seconds pass. Calls that are due meanwhile run in order. */
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
