import { source } from '../../lib/clock.ts';
import { type Clock, realClock } from '../../local/grid/world/clock.ts';

/**
 * A clock that runs faster than the real one. World and service keep the same time, since both know when it began and
 * how fast it runs.
 */
export const runFaster = (begunMillis: number, speed: number): Clock => {
  source.now = () => begunMillis + (Date.now() - begunMillis) * speed;
  return { now: source.now, after: (seconds, run) => realClock.after(seconds / speed, run) };
};
