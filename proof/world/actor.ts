import type { Clock } from '../../local/grid/world/clock.ts';
import { randomFrom } from '../../test/support/faults.ts';

/** Somebody who acts in the world, with choices from their own seed, and with their own patience. */
export const createActor = (clock: Clock, seed: number, name: string) => {
  // Similar names give seeds that are far apart.
  const own = [...name].reduce((hash, sign) => Math.imul(hash ^ sign.charCodeAt(0), 0x01000193), 0x811c9dc5);
  const random = randomFrom(seed ^ own);
  const wait = (seconds: number): Promise<void> => new Promise((resolve) => clock.after(seconds, resolve));
  const until = async <T>(find: () => T | undefined, seconds: number): Promise<T | undefined> => {
    const end = clock.now() + seconds * 1000;
    for (;;) {
      const found = find();
      if (found !== undefined || clock.now() >= end) return found;
      await wait(0.5);
    }
  };
  return {
    random,
    below: (limit: number): number => Math.floor(random() * limit),
    /** True in this many of 100 cases. */
    chance: (percent: number): boolean => random() * 100 < percent,
    between: (low: number, high: number): number => low + random() * (high - low),
    pick: <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)],
    wait,
    /** The value as soon as there is one; undefined after this many seconds. */
    until,
    /** Waits, but not beyond the end of the day. */
    rest: async (seconds: number, isOver: () => boolean): Promise<void> => {
      await until(() => isOver() || undefined, seconds);
    },
  };
};

export type Actor = ReturnType<typeof createActor>;
