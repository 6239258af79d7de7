import { isDeepStrictEqual } from 'node:util';
import { noteInLog } from '../../../lib/store/operator-log.ts';
import { correctDay, findWrongDays, type WrongDay } from '../books/recount-days.ts';
import { openLog } from '../deployment/log.ts';
import { type GlobalOptions, openStore } from '../deployment/target.ts';
import type { DayDifference } from '../kinds/days.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/errors.ts';
import { ask } from '../terminal/input.ts';
import { type Column, counted, note, print } from '../terminal/output.ts';
import { startProgress } from '../terminal/progress.ts';

interface RecountOptions extends GlobalOptions {
  dryRun?: boolean;
  yes?: boolean;
}

const columns: Column<DayDifference>[] = [
  { heading: 'day', cell: ({ day, vendor }) => (vendor ? `${day}, vendor ${vendor}` : day) },
  { heading: 'sum', cell: ({ name }) => name },
  { heading: 'is', cell: ({ is }) => is },
  { heading: 'recorded', cell: ({ recorded }) => recorded },
];

const find = async (store: string): Promise<WrongDay[]> => {
  const progress = startProgress('Adding up days');
  const days = await findWrongDays(store, (count) => progress.update(count));
  progress.end();
  return days;
};

/**
 * Looks again, and corrects only days that are still wrong as they were shown. Answers the number of corrected days.
 */
const correct = async (store: string, shown: readonly WrongDay[]): Promise<number> => {
  let done = 0;
  for (const wrong of await find(store)) {
    const isAsShown = shown.some(({ sums }) => isDeepStrictEqual(sums, wrong.sums));
    if (isAsShown && (await correctDay(store, wrong))) done += 1;
  }
  return done;
};

const recount = async (options: RecountOptions): Promise<void> => {
  const { target, store } = await openStore(options);
  const wrong = await find(store.id);
  print(
    wrong.flatMap(({ sums }) => sums),
    columns,
    'The sums of all days are right, but for the last two, which are not looked at.',
  );
  const number = counted(wrong.length, 'day');
  if (options.dryRun) note('Nothing was changed: this was a dry run.');
  if (options.dryRun && wrong.length > 0) throw new Failure(`The sums of ${number} are wrong.`);
  if (options.dryRun || wrong.length === 0) return;
  const question = `Write these sums to ${number} of ${store.name} on ${target.name}? Type recount to go on.`;
  if (!options.yes)
    await ask(question, '--yes', (answer) => (answer === 'recount' ? undefined : 'Type recount, or press Ctrl-C.'));
  await noteInLog((await openLog(target))('days.recounted', store.id, { days: wrong.length }));
  const done = await correct(store.id, wrong);
  note(`Corrected ${counted(done, 'day')}. Check the whole store now: store audit`);
  if (done < wrong.length) throw new Failure('The others have changed meanwhile. Run this again.');
};

const rule = `
The sums of days are counted from the table's stream, which keeps a change for 24 hours. What it has lost by then is missing for good:
sales, refunds, gift cards, deliveries and changes of credit. This adds up what the table holds, and gives each day its sums. Deliveries are
looked at for a week. Run store credit backfill first: it gives history the changes that it lacks, with their days. You may run it twice, and
while the store is open, but not beside store resident erase.`;

export const addDays = (program: StoreCommand): void => {
  const days = program.command('days').description('The sums of days: recount.');
  days
    .command('recount')
    .description('Corrects the sums of days that lack changes which the stream has lost. Shows them, and asks first.')
    .option('--dry-run', 'only show the sums that it would write; exit code 1 if there are any')
    .option('--yes', 'do not ask, for use without a terminal')
    .addHelpText('after', rule)
    .examples('store days recount --dry-run', 'store days recount', 'store days recount --yes')
    .runs(recount);
};
