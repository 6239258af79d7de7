import { now } from '../../../lib/clock.ts';
import { noteInLog } from '../../../lib/store/operator-log.ts';
import { openLog } from '../deployment/log.ts';
import { type GlobalOptions, openStore, type Target } from '../deployment/target.ts';
import { type Comparison, compareAll, type Difference, isDifferent, type SumsRow } from '../move/compare.ts';
import { bringAll, type Written } from '../move/copy.ts';
import { LostCursorError, type OtherService, openOther, parseServiceUrl } from '../move/other-service.ts';
import { progressFile } from '../move/progress-file.ts';
import { type CustomersCounted, countCustomers } from '../move/read-other.ts';
import { wordFor } from '../move/record.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { UnsuccessfulError, UsageError } from '../terminal/errors.ts';
import { askSecret, parseEnd } from '../terminal/input.ts';
import { untilInterrupted } from '../terminal/interrupt.ts';
import { type Column, counted, isJson, jsonLine, note, print } from '../terminal/output.ts';
import { startProgress } from '../terminal/progress.ts';

interface MoveOptions extends GlobalOptions {
  from: string;
  creditExpires?: () => string;
  dryRun?: boolean;
}

const sumColumns: Column<SumsRow>[] = [
  { heading: 'what', cell: ({ what }) => what },
  { heading: 'there', cell: ({ there }) => there },
  { heading: 'here', cell: ({ here }) => here },
  {
    heading: 'difference',
    cell: ({ there, here }) => here - there,
    signed: true,
    style: (row) => (isDifferent(row) ? 'red' : undefined),
  },
];

/** At most this many differences are shown. The output of --json has all. */
const shownDifferences = 50;

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));

const differenceText = ({ kind, id, fields, only }: Difference): string => {
  if (only) return `${wordFor[kind]} ${id}: is only ${only}.`;
  const each = fields.map(({ field, there, here }) => `${field} is ${shown(there)} there, ${shown(here)} here`);
  return `${wordFor[kind]} ${id}: ${each.join('; ')}.`;
};

/** Data that the contract's API does not tell, and how to bring each in another way. */
const untold = [
  'inactive products that no active one has as its demo: store import products',
  'owned products and single sales: store import purchases and store import sales. Spend came as sums.',
  'lots of credit and their ends: all credit came as one sum, without an end unless --credit-expires gives one',
  'coupons that are applied now: they lapse within 168 hours; when coupons were made, and how often they were used',
  'reasons of bans, and notes: store import customers has banReason',
];

const noteUntold = (): void => {
  note('No GET of the API tells:');
  for (const line of untold) note(`  - ${line}`);
};

const printDifferences = (differences: readonly Difference[], { rejected }: Pick<Written, 'rejected'>): void => {
  for (const { kind, id, reason } of rejected.slice(0, shownDifferences))
    note(`not imported: ${kind} ${id}: ${reason}`);
  if (isJson()) for (const difference of differences) process.stdout.write(`${jsonLine(difference)}\n`);
  else for (const difference of differences.slice(0, shownDifferences)) note(differenceText(difference));
  const more = differences.length - shownDifferences;
  if (more > 0 && !isJson()) note(`... and ${counted(more, 'more difference')}: see them all with --json.`);
};

const readKey = async ({ from }: MoveOptions): Promise<string> => {
  const key = process.env.SIS_MOVE_KEY?.trim() || (await askSecret(`The API key of ${from}`, 'set SIS_MOVE_KEY'));
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError('The key must be printable characters without blanks.');
  return key;
};

/** Copies from the place on that an earlier run reached. */
const bring = async (
  options: MoveOptions,
  other: OtherService,
  store: string,
  customers: CustomersCounted,
): Promise<Written> => {
  const file = progressFile(store, options.from);
  const place = file.read();
  if (place) note(`Going on after ${counted(place.customers, 'customer')}, where an earlier run ended (${file.path}).`);
  const progress = startProgress('Copying customers');
  let done = place?.customers ?? 0;
  const onCustomers = (count: number, next: string | undefined): void => {
    done += count;
    progress.update(done, Math.max(done, customers.count));
    if (next !== undefined) file.write(next, done);
  };
  const creditExpires = options.creditExpires?.();
  const work = { creditExpires, cursor: place?.cursor, onCustomers };
  try {
    const written = await bringAll(other, store, customers, work).catch((error) => {
      if (!(error instanceof LostCursorError && place)) throw error;
      done = 0;
      return bringAll(other, store, customers, { ...work, cursor: undefined });
    });
    file.remove();
    return written;
  } finally {
    progress.end();
  }
};

const compare = async (other: OtherService, store: string, customers: CustomersCounted): Promise<Comparison> => {
  const progress = startProgress('Comparing customers');
  let done = 0;
  return compareAll(other, store, customers, (count) => {
    done += count;
    progress.update(done, Math.max(done, customers.count));
  }).finally(progress.end);
};

const isSame = ({ sums, differences }: Comparison): boolean => differences.length === 0 && !sums.some(isDifferent);

/** Makes a function that writes begin and end of a move into the operator's log. */
const openMoveLog = async (target: Target, store: string, from: string) => {
  const log = await openLog(target);
  return (action: 'import.began' | 'import.ended', of: Record<string, number> = {}): Promise<void> =>
    noteInLog(log(action, store, { kind: 'move', from, ...of }));
};

const move = async (options: MoveOptions): Promise<void> => {
  const base = parseServiceUrl(options.from);
  const { target, store } = await openStore(options);
  if (options.creditExpires && Date.parse(options.creditExpires()) <= now())
    throw new UsageError('--credit-expires must be in the future.');
  const key = await readKey(options);
  const { signal, release } = untilInterrupted();
  const onWait = (seconds: number, why: string): void => note(`${why}: waiting ${counted(seconds, 'second')}.`, 'dim');
  const other = openOther(base, key, { signal, onWait });
  try {
    const customers = await countCustomers(other);
    let written: Written = { created: 0, changed: 0, rejected: [] };
    if (!options.dryRun) {
      const log = await openMoveLog(target, store.id, base.host);
      await log('import.began', { customers: customers.count });
      written = await bring(options, other, store.id, customers);
      const { created, changed, rejected } = written;
      await log('import.ended', { created, changed, rejected: rejected.length });
    }
    const comparison = await compare(other, store.id, await countCustomers(other));
    print(comparison.sums, sumColumns);
    printDifferences(comparison.differences, written);
    if (options.dryRun) note('Nothing was written: this was a dry run.');
    else note(`Written: ${written.created} rows created, ${written.changed} changed.`);
    noteUntold();
    if (isSame(comparison) && written.rejected.length === 0) return note('Both sides are the same.', 'green');
    note(
      `${counted(comparison.differences.length, 'difference')} left. Give the command again: what has changed there since is brought. What this store itself has changed stays as it is.`,
      'red',
    );
  } finally {
    release();
  }
  throw new UnsuccessfulError();
};

export const addMove = (program: StoreCommand): void => {
  program
    .command('move')
    .description(
      'Copies a whole store from another service with the same API, and compares both. It only reads there. Give it again until the switch: it brings what has changed.',
    )
    .requiredOption('--from <url>', 'the address of the other service, such as https://api.example.com')
    .option('--credit-expires <time>', 'the end of all credit that comes: 90d, 2027-12-31 or a time', parseEnd)
    .option('--dry-run', 'compare, and write nothing')
    .addHelpText(
      'after',
      `
The key of the other service is taken from the variable SIS_MOVE_KEY, or asked for. It needs the scopes
products:read, categories:read, coupons:read, customers:read and giftcards:read.

Exit code 0: both sides are the same. 1: there are differences, which are listed.

No GET of the API tells:
${untold.map((line) => `  - ${line}`).join('\n')}`,
    )
    .examples(
      'store move --from https://api.example.com --store "My Store"',
      'store move --from https://api.example.com --dry-run --json',
      'store move --from https://api.example.com --credit-expires 365d',
    )
    .runs(move);
};
