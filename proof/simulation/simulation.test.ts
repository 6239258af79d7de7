import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { trials } from '../../test/support/volume.ts';
import { simulate } from './environment.ts';
import { erasureName, isHistoryMoving, movesOf } from './erased-items.ts';
import type { Commit } from './machine.ts';
import { mutants } from './mutants.ts';
import { effectOf } from './operation.ts';
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

test('a row of history that an erasure moves with the mark of its undo is no undo', () => {
  const uuid = '00000001-51b0-4000-8000-000000000000';
  const row = (of: string) => ({ pk: `s#HISTORY#${of}#regular`, sk: '000000000048' });
  const own = row('04e6eb5d-d765-8cb4-b7c4-78b900b5fabe');
  const undone = { kind: 'increment', undone: { at: '2028-02-29T23:59:58.113Z', sequence: 119 } };
  const written = [
    { key: own, before: undefined, after: { ...own, ...undone } },
    {
      key: row(uuid),
      before: { ...row(uuid), ...undone },
      after: { ...row(uuid), erased: '2028-02-29T21:59:58.000Z' },
    },
  ];
  const commit = { operation: erasureName('operation 2', uuid), written } as unknown as Commit;

  expect(effectOf(commit)).toBeUndefined();
  expect(isHistoryMoving([commit], uuid)).toBe(true);
  expect(isHistoryMoving([commit], uuid.replace('1', '2'))).toBe(false);
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
