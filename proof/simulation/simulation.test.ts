import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { volume } from '../../test/support/volume.ts';
import { simulate } from './environment.ts';
import { mutants } from './mutants.ts';
import { runSchedule } from './schedule.ts';

/** `SIMULATION_SEED` sets the first seed, `SIMULATION_RUNS` the number of schedules. */
const seed = Number(process.env.SIMULATION_SEED ?? Date.now() % 2 ** 31);
const runs = Number(process.env.SIMULATION_RUNS ?? volume(200, 10_000));

let stop = () => {};
const { stackTraceLimit } = Error;

beforeAll(() => {
  stop = simulate();
  // Half of all calls that fail would otherwise be spent on stacks that nobody reads.
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  stop();
  Error.stackTraceLimit = stackTraceLimit;
});

test(
  `${runs} schedules of concurrent operations keep every promise (from seed ${seed})`,
  async () => {
    const failed: object[] = [];
    for (let run = 0; run < runs && failed.length < 3; run++) {
      const { faults } = await runSchedule(seed + run);
      if (faults.length > 0) failed.push({ replay: `node proof/simulation/main.ts --replay ${seed + run}`, faults });
    }

    expect(failed).toEqual([]);
  },
  20 * 60_000,
);

const orderedRuns = volume(60, 2_000);

test(
  `the events of each thing stand in the order of its changes in ${orderedRuns} schedules whose stream is read in order (from seed ${seed})`,
  async () => {
    const failed: object[] = [];
    for (let run = 0; run < orderedRuns && failed.length < 3; run++) {
      const { faults } = await runSchedule(seed + run, { isInOrder: true });
      if (faults.length > 0) failed.push({ seed: seed + run, faults });
    }

    expect(failed).toEqual([]);
  },
  20 * 60_000,
);

test('a seed replays: the same schedule, call by call', async () => {
  const [first, again] = [await runSchedule(seed, { isTraced: true }), await runSchedule(seed, { isTraced: true })];

  expect(first.trace.length).toBeGreaterThan(20);
  expect(again).toEqual(first);
});

test('each bug that is planted by hand has its place in the code, once', () => {
  const root = new URL('../../', import.meta.url);
  const misplaced = mutants.filter(
    ({ file, from }) => readFileSync(new URL(file, root), 'utf8').split(from).length !== 2,
  );

  expect(misplaced).toEqual([]);
});
