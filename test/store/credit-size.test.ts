import { beforeEach, expect, test } from 'vitest';
import { timestamp } from '../../lib/clock.ts';
import type { CreditCommand } from '../../lib/credit/rules.ts';
import { changeCredit } from '../../lib/store/credit.ts';
import { getCustomer } from '../../lib/store/customers.ts';
import { sweepDueLots } from '../../lib/store/sweep.ts';
import { creditOf, customerWithLots, statesOf } from '../support/credit-seed.ts';
import { intercept } from '../support/faults.ts';
import { freshTable, setClock } from '../support/service.ts';

/** Changes of more lots than one transaction holds: as atomic as the small ones, wherever the process ends. */

const start = Date.parse('2028-02-29T12:00:00.000Z');
const later = start + 10_000;
const sizes = [0, 1, 97, 98, 99, 100, 101, 250, 2000];
const store = 'size';

beforeEach(freshTable);
beforeEach(() => setClock(start));

/** Lots of L$ 2 that come due one after another from `later` on, and L$ 5 that are in none. */
const customerOf = (size: number): Promise<string> =>
  customerWithLots(
    store,
    Array.from({ length: size }, (_, index) => ({ amount: 2, expiresAt: timestamp(later + index) })),
    5,
  );

const change = (uuid: string, command: CreditCommand) => changeCredit(store, { uuid }, 'regular', command, 'test');
const drain = (uuid: string, amount: number) => change(uuid, { kind: 'increment', delta: -amount });
const sweep = () => sweepDueLots('sweep');
const balanceOf = async (uuid: string): Promise<number> => (await getCustomer(store, { uuid })).credit;

const settled = async (uuid: string) => {
  const { item, lots, faults } = await creditOf(store, uuid);
  expect(faults).toEqual([]);
  expect(item.pending).toBeUndefined();
  return { item, lots, states: statesOf(lots) };
};

/** Leaves out states with no lot, as `statesOf` does. */
const some = (counts: Record<string, number>) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

test.each(sizes)('a set supersedes %i open lots', async (size) => {
  const uuid = await customerOf(size);

  const { credit } = await change(uuid, { kind: 'set', credit: 7 });

  expect([credit, await balanceOf(uuid)]).toEqual([7, 7]);
  expect((await settled(uuid)).states).toEqual(some({ superseded: size }));
});

test.each(sizes)('a set that expires supersedes %i open lots, due ones as expired, and opens one', async (size) => {
  const uuid = await customerOf(size);
  const due = Math.ceil(size / 2);
  setClock(later + due - 1);

  const { credit } = await change(uuid, { kind: 'set', credit: 7, expiresAt: timestamp(later + 9000) });

  expect(credit).toBe(7);
  const { states, lots } = await settled(uuid);
  expect(states).toEqual(some({ expired: due, superseded: size - due, open: 1 }));
  expect(lots.filter(({ state }) => state !== 'open').every(({ remaining }) => remaining === 2)).toBe(true);
});

test.each(sizes)('a drain empties all but a part of %i open lots, or takes what is in none', async (size) => {
  const uuid = await customerOf(size);
  const amount = Math.max(2 * size - 1, 1);

  const { credit } = await drain(uuid, amount);

  expect([credit, await balanceOf(uuid)]).toEqual([2 * size + 5 - amount, 2 * size + 5 - amount]);
  const { states, item } = await settled(uuid);
  expect(states).toEqual(some({ drained: Math.max(size - 1, 0), open: Math.min(size, 1) }));
  expect(item.creditUnlotted).toBe(size === 0 ? 4 : 5);
});

test.each(sizes)('a drain of the whole balance empties %i open lots', async (size) => {
  const uuid = await customerOf(size);

  const { credit } = await drain(uuid, 2 * size + 5);

  expect(credit).toBe(0);
  expect((await settled(uuid)).states).toEqual(some({ drained: size }));
});

test.each(sizes)('a sweep closes %i due lots and reports them', async (size) => {
  const uuid = await customerOf(size);
  setClock(later + 5000);

  const report = await sweep();

  expect(report).toEqual({ lots: size, amount: 2 * size, failed: 0, finished: true });
  expect(await balanceOf(uuid)).toBe(5);
  expect((await settled(uuid)).states).toEqual(some({ expired: size }));
  await drain(uuid, 5);
});

test.each([98, 250])('one drain ends %i due lots as expired and as many others as drained', async (size) => {
  const uuid = await customerOf(2 * size);
  setClock(later + size - 1);

  const { credit } = await drain(uuid, 2 * size);

  expect(credit).toBe(5);
  expect((await settled(uuid)).states).toEqual({ expired: size, drained: size });
});

test('at every write of a large drain the books are true, and readers see the old or the new balance', async () => {
  const uuid = await customerOf(120);
  const seen: number[] = [];
  const faults: string[] = [];
  let queue: Promise<unknown> = Promise.resolve();
  const stop = intercept(async ({ isWrite }, send) => {
    if (!isWrite) return send();
    const before = queue;
    const turn = Promise.withResolvers<void>();
    queue = turn.promise;
    await before;
    try {
      const answer = await send();
      faults.push(...(await creditOf(store, uuid)).faults);
      seen.push(await balanceOf(uuid));
      return answer;
    } finally {
      turn.resolve();
    }
  });

  await drain(uuid, 239);
  stop();

  expect(seen).toHaveLength(122);
  expect(new Set(seen)).toEqual(new Set([6]));
  expect(faults).toEqual([]);
});

test('readers beside a large drain see the old balance, then the new one', async () => {
  const uuid = await customerOf(250);
  const seen = new Set<number>();
  let done = false;
  const reader = (async () => {
    while (!done) seen.add(await balanceOf(uuid));
  })();

  await drain(uuid, 499).finally(() => {
    done = true;
  });
  await reader;

  expect([505, 6]).toEqual(expect.arrayContaining([...seen]));
  expect(await balanceOf(uuid)).toBe(6);
});

/** Runs `work`; when `writes` of its writes are done, the process reaches the table no more. */
const dieAfter = async (writes: number, work: () => Promise<unknown>): Promise<void> => {
  let done = 0;
  let dead = false;
  const stop = intercept(async ({ isWrite }, send) => {
    if (isWrite) dead ||= ++done > writes;
    if (dead) throw new Error('The process is dead.');
    try {
      return await send();
    } catch (refusal) {
      done -= 1;
      throw refusal;
    }
  });
  await work().catch(() => undefined);
  stop();
};

interface Large {
  work: (uuid: string, size: number) => Promise<unknown>;
  /** After a balance of `2 * size + 5`. */
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

const everyWrite = Array.from({ length: 101 }, (_, writes) => writes);
const sample = [0, 1, 50, 98, 99];
const large = [1, 1000, 2000];

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
  const after = await settled(uuid);
  const added = finish === 'sweep' ? 0 : 1;
  // What died before its first write has not happened, unless the sweep itself does it again.
  if (writes === 0 && name !== 'sweep') expect(after.item.credit).toBe(before + added);
  else expect(after.item.credit).toBe(balance + added);
  if (writes > 0) {
    const expected = states(size);
    expect(after.states).toEqual(some({ ...expected, open: (expected.open ?? 0) + added }));
  }
  setClock(start);
};

test('a drain of 98 lots may die after any of its writes: the next sweep finishes it', async () => {
  for (const writes of everyWrite) await dies('drain', 98, writes, 'sweep');
});

test.each(Object.keys(larges))(
  'a %s of 98 lots may die after any of its writes: the next change finishes it (a sample)',
  async (name) => {
    for (const writes of sample) await dies(name, 98, writes, 'increment');
  },
);

test.each(Object.keys(larges))(
  'a %s of 98 lots may die after any of its writes: the next sweep finishes it (a sample)',
  async (name) => {
    for (const writes of sample) await dies(name, 98, writes, 'sweep');
  },
);

test.each(large)('a drain of 2000 lots may die after %i writes: the next sweep finishes it', async (writes) => {
  await dies('drain', 2000, writes, 'sweep');
});
