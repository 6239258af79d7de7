import { beforeEach, expect, test } from 'vitest';
import { timestamp } from '../../../lib/clock.ts';
import { creditOf } from '../../support/credit-seed.ts';
import { intercept } from '../../support/faults.ts';
import { freshTable, setClock } from '../../support/service.ts';
import { volume } from '../../support/volume.ts';
import { balanceOf, change, store, sweep } from './credit.ts';
import { customerOf, drain, finished, later, some, start } from './large-credit.ts';

/** Around the sizes that one transaction and one batch hold. `npm run proof` tests the large ones. */
const sizes = volume([0, 1, 97, 98, 99, 100, 101], [250, 2000]);

beforeEach(freshTable);
beforeEach(() => setClock(start));

test.each(sizes)('a set supersedes %i open lots', async (size) => {
  const uuid = await customerOf(size);

  const { credit } = await change(uuid, { kind: 'set', credit: 7 });

  expect([credit, await balanceOf(uuid)]).toEqual([7, 7]);
  expect((await finished(uuid)).states).toEqual(some({ superseded: size }));
});

test.each(sizes)('a set that expires supersedes %i open lots, due ones as expired, and opens one', async (size) => {
  const uuid = await customerOf(size);
  const due = Math.ceil(size / 2);
  setClock(later + due - 1);

  const { credit } = await change(uuid, { kind: 'set', credit: 7, expiresAt: timestamp(later + 9000) });

  expect(credit).toBe(7);
  const { states, lots } = await finished(uuid);
  expect(states).toEqual(some({ expired: due, superseded: size - due, open: 1 }));
  expect(lots.filter(({ state }) => state !== 'open').every(({ remaining }) => remaining === 2)).toBe(true);
});

test.each(sizes)('a drain empties %i open lots but for a part, or takes unlotted credit', async (size) => {
  const uuid = await customerOf(size);
  const amount = Math.max(2 * size - 1, 1);

  const { credit } = await drain(uuid, amount);

  expect([credit, await balanceOf(uuid)]).toEqual([2 * size + 5 - amount, 2 * size + 5 - amount]);
  const { states, item } = await finished(uuid);
  expect(states).toEqual(some({ drained: Math.max(size - 1, 0), open: Math.min(size, 1) }));
  expect(item.creditUnlotted).toBe(size === 0 ? 4 : 5);
});

test.each(sizes)('a drain of the whole balance empties %i open lots', async (size) => {
  const uuid = await customerOf(size);

  const { credit } = await drain(uuid, 2 * size + 5);

  expect(credit).toBe(0);
  expect((await finished(uuid)).states).toEqual(some({ drained: size }));
});

test.each(sizes)('a sweep closes %i due lots and reports them', async (size) => {
  const uuid = await customerOf(size);
  setClock(later + 5000);

  const report = await sweep();

  expect(report).toEqual({ lots: size, amount: 2 * size, failed: 0, finished: true });
  expect(await balanceOf(uuid)).toBe(5);
  expect((await finished(uuid)).states).toEqual(some({ expired: size }));
  await drain(uuid, 5);
});

test.each([98, 250])('one drain ends %i due lots as expired and as many others as drained', async (size) => {
  const uuid = await customerOf(2 * size);
  setClock(later + size - 1);

  const { credit } = await drain(uuid, 2 * size);

  expect(credit).toBe(5);
  expect((await finished(uuid)).states).toEqual({ expired: size, drained: size });
});

test('the books agree at every write of a large drain, and readers see the old or the new balance', async () => {
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

test('concurrent readers see the old balance of a large drain, then the new one', async () => {
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
