import { Command, InvalidArgumentError } from 'commander';
import { simulate } from './environment.ts';
import { runSchedule } from './schedule.ts';

/** The simulation by hand: docs/evidence/README.md. */

const parseWhole = (text: string): number => {
  const number = Number(text);
  if (!/^\d{1,10}$/.test(text) || number < 1 || number > 2 ** 31)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${2 ** 31}.`);
  return number;
};

const { schedules, seed, replay, failures, inOrder } = new Command('node proof/simulation/main.ts')
  .description(
    'Runs random schedules of eight concurrent operations on a table in memory, in virtual time and under failures of every ' +
      'kind, and checks what all of them promise together. Prints the seeds that fail; exit code 1 if any does.',
  )
  .option('--schedules <number>', 'how many', parseWhole, 10_000)
  .option('--seed <number>', 'the first seed; each schedule has the next', parseWhole, 1 + (Date.now() % 999_999))
  .option('--replay <seed>', 'runs the schedule of one seed, and prints every call of it', parseWhole)
  .option(
    '--in-order',
    'the stream is read in order, so the events of each thing must stand in the order of its changes',
  )
  .option('--failures <number>', 'stops after so many schedules that fail', parseWhole, 10)
  .allowExcessArguments(false)
  .showHelpAfterError('Run it with --help for all options.')
  .parse()
  .opts<{ schedules: number; seed: number; replay?: number; failures: number; inOrder?: true }>();
const order = { isInOrder: inOrder === true };

simulate();
if (replay !== undefined) {
  const { faults, trace } = await runSchedule(replay, { ...order, isTraced: true });
  for (const line of trace) console.log(line);
  for (const fault of faults) console.log(`FAULT ${fault}`);
  process.exitCode = faults.length > 0 ? 1 : 0;
} else {
  // Stacks would cost more than all that fails on purpose; a replay has them.
  Error.stackTraceLimit = 0;
  const begun = performance.now();
  let [run, failed, events] = [0, 0, 0];
  const report = (): void => {
    const seconds = (performance.now() - begun) / 1000;
    const ofProcessor = process.cpuUsage().user / 1e6;
    console.log(
      `${run} schedules, ${events} events, ${failed} failed; ${seconds.toFixed(0)} s, ${(run / seconds).toFixed(0)} a second ` +
        `(${(run / ofProcessor).toFixed(0)} of processor time)`,
    );
  };
  let isStopped = false;
  process.once('SIGINT', () => {
    isStopped = true;
  });
  for (; run < schedules && failed < failures && !isStopped; run++) {
    const result = await runSchedule(seed + run, order);
    events += result.events;
    if (result.faults.length > 0) {
      failed += 1;
      console.log(`--replay ${result.seed}`);
      for (const fault of result.faults.slice(0, 5)) console.log(`  FAULT ${fault.slice(0, 2000)}`);
    }
    if ((run + 1) % 10_000 === 0) report();
  }
  console.log(`--seed ${seed}`);
  report();
  process.exitCode = failed > 0 ? 1 : 0;
}
