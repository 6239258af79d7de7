import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { trials } from '../../test/support/volume.ts';
import { simulate } from './environment.ts';
import { erasureName, movesOf } from './erased-items.ts';
import type { Commit } from './machine.ts';
import { mutants } from './mutants.ts';
import { planted } from './planting.ts';
import { runSchedule } from './schedule.ts';

/** `SIMULATION_SEED` sets the first seed, `SIMULATION_RUNS` the number of schedules. */
const seed = Number(process.env.SIMULATION_SEED ?? Date.now() % 2 ** 31);
const runs = Number(process.env.SIMULATION_RUNS ?? trials(100, 10_000));

let stop = () => {};
const { stackTraceLimit } = Error;

beforeAll(() => {
  stop = simulate();
  // Half of all failing calls would otherwise be spent on stacks that nobody reads.
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  stop();
  Error.stackTraceLimit = stackTraceLimit;
});

test.each([
  { count: runs, isInOrder: false, promise: 'keep every promise' },
  { count: trials(30, 2_000), isInOrder: true, promise: 'have the events of each thing in the order of its changes' },
])(
  `$count schedules $promise (from seed ${seed}, stream read in order: $isInOrder)`,
  async ({ count, isInOrder }) => {
    for (let first = seed; first < seed + count; first++) {
      const { faults } = await runSchedule(first, { isInOrder });
      expect(faults, `node proof/simulation/main.ts --replay ${first}${isInOrder ? ' --in-order' : ''}`).toEqual([]);
    }
  },
  1_200_000,
);

test('a seed replays: the same schedule, call by call', async () => {
  const [first, again] = [await runSchedule(seed, { isTraced: true }), await runSchedule(seed, { isTraced: true })];

  expect(first.trace.length).toBeGreaterThan(20);
  expect(again).toEqual(first);
});

test('what an erased avatar was given moves to their own pseudonym, though the giver was erased before them', () => {
  const [uuid, giver, own] = [
    '00000003-51b0-4000-8000-000000000000',
    '974f04e7-7f98-869c-92f0-f02bc65ec521',
    '2c98d7c7-33e6-8079-ab87-7a682a5774e5',
  ];
  const owned = (of: string) => ({ pk: `s#OWNED#${of}`, sk: 'chair' });
  const item = { givenBy: giver, sale: 'of a gift' };
  const written = [
    { key: owned(uuid), before: { ...owned(uuid), ...item }, after: undefined },
    { key: owned(own), before: undefined, after: { ...item, ...owned(own) } },
  ];

  expect(movesOf({ operation: erasureName('operation 6', uuid), written } as unknown as Commit)).toEqual({
    ...{ store: 's', uuid, pseudonym: own },
    pieces: [{ kind: 'owned', id: 'chair' }],
  });
});

const root = new URL('../../', import.meta.url);
const textOf = (file: string): string => readFileSync(new URL(file, root), 'utf8');

test('each bug that is planted by hand has its place in its function, once', () => {
  for (const mutant of mutants) expect(planted(mutant, textOf(mutant.file))).not.toBe(textOf(mutant.file));
});

test('a bug is planted in its function alone, and with the names that local variables have now', () => {
  const bug = mutants.find(({ text }) => text === 'the retry layer repeats an addition whose answer was lost');
  if (!bug) throw new Error('The bug is gone.');
  const renamed = textOf(bug.file).replaceAll('repeatable', 'mayRepeat').replaceAll('error', 'failure');

  expect(planted(bug, renamed)).toContain('if (!isUnanswered(failure)) throw failure;');
  expect(() => planted({ ...bug, name: 'repeat' }, renamed)).toThrow('repeat of lib/table/retry.ts must have once');
  expect(() => planted(bug, renamed.replace('!isUnanswered(failure)', 'isUnanswered(failure)'))).toThrow(
    /must have once/,
  );
});
