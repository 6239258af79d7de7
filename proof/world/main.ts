import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { parseCount } from '../../apps/cli/terminal/input.ts';
import { noteRun, screenOf } from '../workload/report.ts';
import { planted } from './planted.ts';
import { runWorld } from './run.ts';
import type { WorldOptions } from './setting.ts';

/** `npm run world`: a day in a made-up virtual world, through the shipped scripts and the local service. */

const parseSpeed = (text: string): number => {
  const speed = Number(text);
  if (!(speed >= 1 && speed <= 20)) throw new InvalidArgumentError('It must be a number from 1 to 20.');
  return speed;
};

const options = new Command('npm run world --')
  .description(
    'Lets avatars buy through the shipped scripts from a service of its own, while regions, network and service fail, and ' +
      'compares all books at the end. Prints a report; exit code 1 if anything has no explanation: docs/evidence/world.md.',
  )
  .addOption(
    new Option('--minutes <number>', 'length of the day, in minutes of the world')
      .argParser(parseCount)
      .conflicts('seconds'),
  )
  .option('--seconds <number>', 'the same in seconds', parseCount, 120)
  .option('--seed <number>', 'the choices of all who act', parseCount, 1 + (Date.now() % 999_999))
  .option('--avatars <number>', 'avatars', parseCount, 40)
  .option('--rate <number>', 'visits of all avatars in a minute of the world', parseCount, 60)
  .option('--speed <number>', 'how many times faster than the wall’s clock the world’s runs', parseSpeed, 5)
  .option('--settle-seconds <number>', 'how long all may take to settle once the day is over', parseCount, 3600)
  .addOption(new Option('--faults <level>', 'how much fails').choices(['none', 'normal', 'heavy']).default('normal'))
  .option('--note', 'adds the run to docs/evidence/world.md')
  .addOption(new Option('--plant <fault>', 'a fault to put into scripts or service').choices(Object.keys(planted)))
  .allowExcessArguments(false)
  .showHelpAfterError('Run npm run world -- --help for all options.')
  .parse()
  .opts<Omit<WorldOptions, 'dataDir'> & { minutes?: number; note?: boolean }>();

const dataDir = mkdtempSync(join(tmpdir(), 'store-world-'));
const seconds = options.minutes === undefined ? options.seconds : options.minutes * 60;
console.log(`${seconds} s of the world, --seed ${options.seed}; data in ${dataDir}`);
const { faults, ...report } = await runWorld({
  ...{ ...options, seconds, dataDir },
  onProgress: (text) => console.log(text),
});
console.log(screenOf(report));
for (const fault of faults.slice(0, 20)) console.log(`FAULT ${fault}`);
console.log(`L$ ${report.unexplained} unexplained, ${faults.length} faults, --seed ${report.seed}`);
if (options.note) {
  const { sales, items, money } = report;
  const flags = process.argv.slice(2).filter((flag) => flag !== '--note');
  noteRun('world', {
    Run: `\`${flags.join(' ')}\``,
    'L$ unexplained': report.unexplained,
    Faults: faults.length,
    Transfers: money.transfers,
    'Sales completed': sales.completed ?? 0,
    refunded: sales.refunded ?? 0,
    'Items given': items.given,
    twice: items.givenTwiceByDeath.length,
    'By hand': money.byReason['by hand'] ?? 0,
    'Settled after s': report.settledAfterSeconds,
  });
}
if (faults.length === 0) rmSync(dataDir, { recursive: true });
process.exitCode = faults.length > 0 ? 1 : 0;
