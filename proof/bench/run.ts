import { execFileSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { Command } from 'commander';
import { parseCount } from '../../apps/cli/terminal/input.ts';

/**
 * `npm run bench`: everything that docs/evidence/benchmarks.md shows. Nothing but loopback is called. Each benchmark
 * runs in a process of its own, so that none inherits another's heap and compiled code.
 */

const program = new Command('bench')
  .description('Measures the service on this machine and writes docs/evidence/benchmarks.md.')
  .helpCommand(false)
  .action(() => {
    // Otherwise each benchmark would count the work of the earlier ones as other people's.
    const env = { ...process.env, BENCH_LOAD_BEFORE: loadavg()[0]?.toFixed(2) };
    for (const command of program.commands)
      execFileSync(process.execPath, [import.meta.filename, command.name()], { stdio: 'inherit', env });
  });

const rounds = (command: Command, standard: number): Command =>
  command.option('--rounds <number>', 'rounds, of which the medians are taken', parseCount, standard);
const requests = (command: Command, standard: number): Command =>
  command.option('--requests <number>', 'requests per round and contestant', parseCount, standard);

program
  .command('costs')
  .description('calls and capacity units of every endpoint beside their budgets')
  .action(async () => (await import('./costs.ts')).measureCosts());
requests(rounds(program.command('compare'), 7), 300)
  .description('a GET, an increment and a sale beside the same made of Hono and ElectroDB: rate, times, calls, lines')
  .option('--callers <number>', 'requests under way at once', parseCount, 8)
  .action(async (options) => (await import('./compare.ts')).measureCompare(options));
rounds(program.command('bundles'), 15)
  .description('size and load time of the bundles')
  .action(async (options) => (await import('./bundles.ts')).measureBundles(options));
requests(rounds(program.command('contention'), 5), 128)
  .description('changes of one customer’s credit and sales to one customer per second, and the audit after them')
  .action(async (options) => (await import('./contention.ts')).measureContention(options));
requests(rounds(program.command('sales'), 5), 150)
  .description('pairs of quote and sale per second, in a small and in a large store')
  .option('--customers <number>', 'customers in the large store', parseCount, 100_000)
  .action(async (options) => (await import('./sales.ts')).measureSales(options));
program
  .command('history')
  .description('rows of history per second from full and from cut batches, and the time until a change is in history')
  .option('--changes <number>', 'changes of credit to make history of', parseCount, 100_000)
  .option('--customers <number>', 'customers whose credit they change', parseCount, 1_000)
  .option('--kills <number>', 'about so many consumers are killed', parseCount, 50)
  .option('--seed <number>', 'repeats the run that printed it', parseCount)
  .action(async (options) => (await import('./history.ts')).measureHistory(options));
program
  .command('webhooks')
  .description('how soon events reach webhooks, beside others that are dead, slow or lying')
  .option('--events <number>', 'events of 20 receivers together', parseCount, 2_000)
  .option('--rate <number>', 'events that are noted in a second', parseCount, 40)
  .action(async (options) => (await import('./webhooks.ts')).measureWebhooks(options));
rounds(program.command('desk'), 5)
  .description('how soon each page of the desk is whole in Chromium, in the demo store and in one of 100,000 customers')
  .option('--customers <number>', 'customers in the large store', parseCount, 100_000)
  .option('--sales <number>', 'sales in the large store', parseCount, 10_000)
  .action(async (options) => (await import('./desk.ts')).measureDesk(options));
program
  .command('restore')
  .description('the restore of a table from an export, step by step, and the audit after it')
  .option('--customers <number>', 'customers who hold credit', parseCount, 100_000)
  .action(async (options) => {
    // As in the operator's command. lib/table/client.ts reads it when it is loaded.
    process.env.TABLE_PATIENCE = 'long';
    await (await import('./restore.ts')).measureRestore(options);
  });

await program.parseAsync();
