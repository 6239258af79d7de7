import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { parseCount } from '../../apps/cli/terminal/input.ts';
import { noteRun, screenOf } from '../workload/report.ts';
import { firstRelease, makeVersion, sourceOf } from './releases.ts';
import { runUpgrade } from './run.ts';

/** `npm run upgrade`: the last release and this version side by side, under traffic. */

interface Options {
  from?: string;
  to?: string;
  requests: number;
  clients: number;
  concurrency: number;
  seed: number;
  note?: boolean;
}

const { from, to, requests, clients, concurrency, seed, note } = new Command('npm run upgrade --')
  .description(
    'Deploys the last release on this machine with traffic on it, updates it to this version function by function, takes that back, and updates it again. ' +
      'Then checks that nothing that was acknowledged is lost or doubled. Prints a report; exit code 1 for any fault: docs/evidence/upgrade.md.',
  )
  .option(
    '--from <ref>',
    `tag, branch, commit, or a release's source archive (.tar.gz) to begin with (default: the last tag, else ${firstRelease.slice(0, 7)})`,
  )
  .option('--to <ref>', 'the same to update to (default: the files of this checkout)')
  .option('--requests <number>', 'requests that each version answers in its turn', parseCount, 300)
  .option('--clients <number>', 'clients, each with one request at a time', parseCount, 4)
  .option('--concurrency <number>', 'functions that run at once; a new AWS account has 10', parseCount, 20)
  .option('--note', 'adds the run to docs/evidence/upgrade.md')
  .option(
    '--seed <number>',
    'the choices of the clients and the order of the functions',
    parseCount,
    1 + (Date.now() % 999_999),
  )
  .allowExcessArguments(false)
  .showHelpAfterError('Run npm run upgrade -- --help for all options.')
  .parse()
  .opts<Options>();

const dir = mkdtempSync(join(tmpdir(), 'store-upgrade-'));
try {
  const [old, next] = [await sourceOf(from), to === undefined ? undefined : await sourceOf(to)];
  console.log(`--from ${old} ${next ? `--to ${next} ` : ''}--seed ${seed}: making both templates`);
  const before = await makeVersion(old, join(dir, 'before'));
  const after = await makeVersion(next, join(dir, 'after'));
  const { faults, ...report } = await runUpgrade({
    ...{ before, after, requests, clients, concurrency, seed },
    onProgress: (text) => console.log(text),
  });
  console.log(screenOf(report));
  for (const fault of faults.slice(0, 30)) console.log(`FAULT ${fault}`);
  console.log(`${faults.length} faults, --seed ${seed}`);
  if (note) {
    const { sales, credit, deliveries, events } = report.acknowledged;
    noteRun('upgrade', {
      Run: `\`--from ${before.name} --requests ${requests} --clients ${clients} --seed ${seed}\``,
      Requests: report.phases.reduce((sum, { answered }) => sum + answered, 0),
      Sales: (sales.completed ?? 0) + (sales.refunded ?? 0),
      Credit: credit.done ?? 0,
      Deliveries: deliveries.given,
      Events: events,
      Faults: faults.length,
    });
  }
  process.exitCode = faults.length > 0 ? 1 : 0;
} catch (error) {
  console.error(`error: ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  rmSync(dir, { recursive: true, force: true });
}
