import * as fc from 'fast-check';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { timestamp } from '../../../lib/clock.ts';
import { creditOf, customerWithLots, newCustomer } from '../../support/credit-seed.ts';
import { inOrderOf } from '../../support/faults.ts';
import { isolateAsDynamoDB } from '../../support/isolation.ts';
import { isLinearizable, type Operation } from '../../support/linearizable.ts';
import { freshTable, setClock } from '../../support/service.ts';
import { trials } from '../../support/volume.ts';
import { add, store } from './credit.ts';
import { outcomeOf, type Step, steps, takeAtOnce } from './credit-steps.ts';

/** Concurrent changes of one customer's credit, checked by their answers and the final balance. */

/** `CREDIT_RACES_SEED` replays a run; `CREDIT_RACES_RUNS` asks for more. */
const seed = Number(process.env.CREDIT_RACES_SEED ?? Date.now() % 2 ** 31);
const runs = Number(process.env.CREDIT_RACES_RUNS ?? trials(10, 60));
const start = Date.parse('2028-02-29T12:00:00.000Z');
const end = start + 60_000;

let stop = () => {};
beforeAll(freshTable);
afterEach(() => stop());

test('64 concurrent increments end at the exact sum, and each answers another balance', async () => {
  setClock(start);
  const uuid = await newCustomer();
  await add(uuid, 1000);

  const answers = await Promise.all(Array.from({ length: 64 }, (_, index) => add(uuid, index + 1)));

  expect((await creditOf(store, uuid)).item.credit).toBe(1000 + (64 * 65) / 2);
  expect(new Set(answers.map(({ credit }) => credit)).size).toBe(64);
});

test('64 concurrent first increments of a resident end at the sum of the answered ones', async () => {
  setClock(start);
  const uuid = await newCustomer();

  const outcomes = await Promise.all(Array.from({ length: 64 }, () => outcomeOf(add(uuid, 3))));

  const made = outcomes.filter((outcome) => 'credit' in outcome).length;
  const { item, faults } = await creditOf(store, uuid);
  expect([item.credit, faults]).toEqual([3 * made, []]);
  expect(outcomes.filter((outcome) => 'status' in outcome && outcome.status !== 503)).toEqual([]);
});

test('concurrent increments, with and without an expiry, add up to their answers', async () => {
  setClock(start);
  const uuid = await newCustomer();

  const outcomes = await Promise.all(
    Array.from({ length: 24 }, (_, index) => outcomeOf(add(uuid, 5, index % 2 ? end + index : undefined))),
  );

  const made = outcomes.filter((outcome) => 'credit' in outcome).length;
  const { item, faults } = await creditOf(store, uuid);
  expect([item.credit, faults]).toEqual([5 * made, []]);
});

test.each([0, 5, 10])('concurrent drains never take more than the balance (%i lots of 10)', async (count) => {
  setClock(start);
  const lots = Array.from({ length: count }, (_, index) => ({ amount: 10, expiresAt: timestamp(end + index) }));
  const uuid = await customerWithLots(store, lots, 100 - 10 * count);

  const outcomes = await Promise.all(Array.from({ length: 30 }, () => outcomeOf(add(uuid, -7))));

  const made = outcomes.filter((outcome) => 'credit' in outcome).length;
  const { item, faults } = await creditOf(store, uuid);
  expect(faults).toEqual([]);
  expect(made).toBeLessThanOrEqual(14);
  expect(item.credit).toBe(100 - 7 * made);
});

test('the books agree after concurrent drains and additions if the items of a transaction appear one by one', async () => {
  setClock(start);
  stop = isolateAsDynamoDB(seed, 60);
  const faults: string[] = [];

  for (let round = 0; round < trials(2, 10); round++) {
    const lots = Array.from({ length: 12 }, (_, index) => ({ amount: 10, expiresAt: timestamp(end + index) }));
    const uuid = await customerWithLots(store, lots);
    const drains = [-6, -13, -6, -12, -6, -11, -6, -14].map((delta) => add(uuid, delta));
    await Promise.all([...drains, add(uuid, 5, end - 1000), add(uuid, 5, end + 1500)].map(outcomeOf));
    faults.push(...(await creditOf(store, uuid)).faults);
  }

  expect(faults).toEqual([]);
});

/**
 * Takes all steps at once on a customer in a fresh table, who has two due lots, a live one and credit that is not in
 * lots.
 */
const runAtOnce = async (
  all: Step[],
  begin: () => () => void,
  together?: (work: Promise<unknown>) => Promise<unknown>,
): Promise<void> => {
  await freshTable();
  setClock(start - 1000);
  const lots = [
    { expiresAt: timestamp(start - 1), amount: 10 },
    { expiresAt: timestamp(start), amount: 10 },
    { expiresAt: timestamp(start + 30_000), amount: 30 },
  ];
  const uuid = await customerWithLots(store, lots, 20);
  await takeAtOnce(uuid, all, { at: start, end, begin }, together);
};

const replay = { seed, ...(process.env.CREDIT_RACES_PATH && { path: process.env.CREDIT_RACES_PATH }) };

test(`concurrent sets, increments, sweeps and reads are linearizable (seed ${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), steps, async (scheduler, all) => {
      await runAtOnce(
        all,
        () => inOrderOf(scheduler),
        (work) => scheduler.waitFor(work),
      );
    }),
    { numRuns: runs, ...replay },
  );
});

test(`they are linearizable even if the items of a transaction appear one by one (seed ${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), steps, async (order, all) => {
      await runAtOnce(all, () => isolateAsDynamoDB(order, 60));
    }),
    { numRuns: trials(5, 30), ...replay },
  );
});

test('the checker finds a history that is not linearizable', () => {
  const answered = (start: number, end: number, delta: number, balance: number): Operation<number> => ({
    start,
    end,
    apply: (state) => (state + delta === balance ? balance : undefined),
  });
  const [lost, other] = [answered(0, 2, 5, 5), answered(1, 3, 5, 5)];
  const staleRead: Operation<number> = { start: 4, end: 5, apply: (state) => (state === 0 ? state : undefined) };

  expect(isLinearizable(0, [answered(0, 2, 5, 10), answered(1, 3, 5, 5)], (state) => state === 10)).toBe(true);
  expect(isLinearizable(0, [lost, other], () => true)).toBe(false);
  expect(isLinearizable(0, [lost, staleRead], () => true)).toBe(false);
  expect(isLinearizable(0, [lost], (state) => state === 0)).toBe(false);
});
