import { AsyncLocalStorage } from 'node:async_hooks';
import { beforeEach, expect, test } from 'vitest';
import { timestamp } from '../../../lib/clock.ts';
import { creditOf } from '../../support/credit-seed.ts';
import { intercept } from '../../support/faults.ts';
import { freshTable, setClock } from '../../support/service.ts';
import { volume } from '../../support/volume.ts';
import { balanceOf, change, store, sweep } from './credit.ts';
import { customerOf, drain, finished, later, some, start } from './large-credit.ts';

/** How many writes a process makes before it dies, and has made. The table hears no more of a dead one. */
interface ProcessLife {
  writes: number;
  done: number;
  isDead: boolean;
}

/** The process that a call belongs to. A dead one keeps retrying for a while, even when the next one works. */
const processes = new AsyncLocalStorage<ProcessLife>();

beforeEach(freshTable);
beforeEach(() => setClock(start));
beforeEach(() =>
  intercept(async ({ isWrite }, send) => {
    const process = processes.getStore();
    if (!process) return send();
    if (isWrite) process.isDead ||= ++process.done > process.writes;
    if (process.isDead) throw new Error('The process is dead.');
    try {
      return await send();
    } catch (refusal) {
      process.done -= 1;
      throw refusal;
    }
  }),
);

/** Runs `work`, and cuts the process off from the table after `writes` of its writes. */
const dieAfter = (writes: number, work: () => Promise<unknown>): Promise<unknown> =>
  processes.run({ writes, done: 0, isDead: false }, () => work().catch(() => undefined));

interface Large {
  work: (uuid: string, size: number) => Promise<unknown>;
  /** The balance after the change, from `2 * size + 5` before it. */
  balance: number;
  states: (size: number) => Record<string, number>;
  at?: number;
}

const larges: Record<string, Large> = {
  drain: {
    work: (uuid, size) => drain(uuid, 2 * size - 1),
    balance: 6,
    states: (size) => ({ drained: size - 1, open: 1 }),
  },
  set: {
    work: (uuid) => change(uuid, { kind: 'set', credit: 9, expiresAt: timestamp(later + 60_000) }),
    balance: 9,
    states: (size) => ({ superseded: size, open: 1 }),
  },
  sweep: { work: () => sweep(), balance: 5, states: (size) => ({ expired: size }), at: later + 5000 },
};

const sample = [0, 1, 50, 98, 99];
const large = volume<[number, number][]>(
  [[250, 125]],
  [
    [2000, 1],
    [2000, 1000],
    [2000, 2000],
  ],
);

const dies = async (name: string, size: number, writes: number, finish: 'sweep' | 'increment'): Promise<void> => {
  const { work, balance, states, at = start } = larges[name] as Large;
  const uuid = await customerOf(size);
  const before = await balanceOf(uuid);
  setClock(at);

  await dieAfter(writes, () => work(uuid, size));

  const dead = await creditOf(store, uuid);
  expect(dead.faults).toEqual([]);
  expect(await balanceOf(uuid)).toBe(writes === 0 ? before : balance);
  if (finish === 'sweep') await sweep();
  else await change(uuid, { kind: 'increment', delta: 1, expiresAt: timestamp(later + 90_000) });
  const after = await finished(uuid);
  const added = finish === 'sweep' ? 0 : 1;
  // A change that died before its first write did not happen. A sweep, however, runs again.
  if (writes === 0 && name !== 'sweep') expect(after.item.credit).toBe(before + added);
  else expect(after.item.credit).toBe(balance + added);
  if (writes > 0) {
    const expected = states(size);
    expect(after.states).toEqual(some({ ...expected, open: (expected.open ?? 0) + added }));
  }
  setClock(start);
};

const every = Array.from({ length: 101 }, (_, writes) => writes);

// A hundred runs take longer than the minute that other tests have.
test.each(volume(Object.keys(larges), ['drain']))(
  'a %s of 98 lots may die after any of its writes: the next sweep finishes it',
  { timeout: 180_000 },
  async (name) => {
    for (const writes of volume(sample, every)) await dies(name, 98, writes, 'sweep');
  },
);

test.each(volume(Object.keys(larges), []))(
  'a %s of 98 lots may die after any of its writes: the next change finishes it (a sample)',
  async (name) => {
    for (const writes of sample) await dies(name, 98, writes, 'increment');
  },
);

test.each(large)('a drain of %i lots may die after %i writes: the next sweep finishes it', async (size, writes) => {
  await dies('drain', size, writes, 'sweep');
});
