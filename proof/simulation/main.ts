import { Command, InvalidArgumentError } from 'commander';
import { simulate } from './environment.ts';
import { runSchedule } from './schedule.ts';

/** Runs the simulation by hand: docs/evidence/simulation.md. */

const parseWhole = (text: string): number => {
  const number = Number(text);
  if (!/^\d{1,10}$/.test(text) || number < 1 || number > 2 ** 31)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${2 ** 31}.`);
  return number;
};

const { schedules, seed, failures, replay, inOrder } = new Command('node proof/simulation/main.ts')
  .description(
    'Runs random schedules of eight concurrent operations on a table in memory, in virtual time and under failures of every ' +
      'kind, and checks what all of them promise together. Prints the seeds that fail; exit code 1 if any does.',
  )
  .option('--schedules <number>', 'how many', parseWhole, 10_000)
  .option('--seed <number>', 'the first seed; each schedule has the next', parseWhole, 1 + (Date.now() % 999_999))
  .option('--failures <number>', 'stops after this many that fail', parseWhole, 10)
  .option('--replay <seed>', 'runs the schedule of one seed, and prints every call of it', parseWhole)
  .option(
    '--in-order',
    'the stream is read in order, so the events of each thing must stand in the order of its changes',
  )
  .allowExcessArguments(false)
  .showHelpAfterError('Run it with --help for all options.')
  .parse()
  .opts<{ schedules: number; seed: number; failures: number; replay?: number; inOrder?: true }>();
const [first, count] = replay === undefined ? [seed, schedules] : [replay, 1];

simulate();
// Stacks would cost more than everything that fails on purpose. A replay has them.
if (replay === undefined) Error.stackTraceLimit = 0;
let [run, failed, events] = [0, 0, 0];
const report = (): void => {
  const rate = run / (process.cpuUsage().user / 1e6);
  console.log(
    `${run} schedules from seed ${first}, ${events} events, ${failed} failed; ${rate.toFixed(0)} a second of processor time`,
  );
};
while (run < count && failed < failures) {
  const result = await runSchedule(first + run, { isInOrder: inOrder === true, isTraced: replay !== undefined });
  run += 1;
  events += result.events;
  for (const line of result.trace) console.log(line);
  if (result.faults.length > 0) {
    failed += 1;
    process.exitCode = 1;
    console.log(`--replay ${result.seed}`);
    for (const fault of result.faults) console.log(`FAULT ${fault}`);
  }
  if (run % 10_000 === 0) report();
}
report();
