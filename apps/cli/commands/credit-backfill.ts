import { pMapIterable } from 'p-map';
import { type CustomerItem, listCustomerItems } from '../../../lib/avatars/customers.ts';
import { everyRow } from '../../../lib/lists/source.ts';
import { type Backfill, backfill, findBackfill } from '../../../lib/operator/backfill-history.ts';
import type { AddedRows } from '../../../lib/operator/history-gaps.ts';
import { Problem } from '../../../lib/problem.ts';
import { noteInLog } from '../../../lib/store/operator-log.ts';
import { openLog } from '../deployment/log.ts';
import { type GlobalOptions, openStore } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/errors.ts';
import { ask } from '../terminal/input.ts';
import { type Column, counted, note, print } from '../terminal/output.ts';
import { startProgress } from '../terminal/progress.ts';

interface BackfillOptions extends GlobalOptions {
  dryRun?: boolean;
  yes?: boolean;
}

interface CustomerRows extends AddedRows {
  customer: string;
  username: string;
}

const columns: Column<CustomerRows>[] = [
  { heading: 'customer', cell: ({ username }) => username },
  { heading: 'rows', cell: ({ kind }) => kind },
  { heading: 'from', cell: ({ first }) => first },
  { heading: 'to', cell: ({ last }) => last },
  { heading: 'regular L$', cell: ({ regular }) => regular },
  { heading: 'restricted L$', cell: ({ restricted }) => restricted },
];

/**
 * Calls `work` for every customer of the store. If a customer's credit changes all the time, reports that and goes on.
 */
const forCustomers = async (
  store: string,
  customers: AsyncIterable<CustomerItem> | Iterable<CustomerItem>,
  what: string,
  work: (store: string, uuid: string) => Promise<Backfill>,
): Promise<{ rows: CustomerRows[]; faults: string[]; lacking: CustomerItem[] }> => {
  const progress = startProgress(what);
  const found = { rows: [] as CustomerRows[], faults: [] as string[], lacking: [] as CustomerItem[] };
  const look = async (item: CustomerItem): Promise<Backfill & { item: CustomerItem }> => {
    try {
      return { item, ...(await work(store, item.sk)) };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { item, rows: [], faults: [`customer ${item.sk}: the credit changes all the time, try again later.`] };
    }
  };
  let count = 0;
  for await (const { item, rows, faults } of pMapIterable(customers, look, { concurrency: 25 })) {
    for (const { kind, first, last, regular, restricted } of rows)
      found.rows.push({ customer: item.sk, username: item.username, kind, first, last, regular, restricted });
    if (rows.length > 0) found.lacking.push(item);
    found.faults.push(...faults);
    progress.update(++count);
  }
  progress.end();
  return found;
};

const run = async (options: BackfillOptions): Promise<void> => {
  const { target, store } = await openStore(options);
  const all = everyRow(listCustomerItems(store.id), ({ sk }) => sk);
  const { rows, faults, lacking } = await forCustomers(store.id, all, 'Checking customers', findBackfill);
  print(rows, columns, 'No history is missing that could be filled.');
  const number = counted(lacking.length, 'customer');
  let left = faults;
  if (options.dryRun) note('Nothing was changed: this was a dry run.');
  else if (lacking.length > 0) {
    const question = `Write these rows to the history of ${number} of ${store.name} on ${target.name}? Type backfill to go on.`;
    if (!options.yes)
      await ask(question, '--yes', (answer) => (answer === 'backfill' ? undefined : 'Type backfill, or press Ctrl-C.'));
    await noteInLog((await openLog(target))('credit.backfilled', store.id, { customers: lacking.length }));
    const done = await forCustomers(store.id, lacking, 'Writing history', backfill);
    left = [...faults, ...done.faults];
    note(`Wrote the history of ${counted(done.lacking.length, 'customer')}. Check the whole store now: store audit`);
  }
  for (const fault of left) note(fault);
  if (left.length > 0) throw new Failure('The history above was left as it is. Run this again in a day.');
  if (options.dryRun && lacking.length > 0) throw new Failure(`The history of ${number} lacks rows.`);
};

const rule = `
Credit that is older than history gets an opening: a row with the balance, for each type. It takes a new number, and the rows
of the numbers before it stay absent. A change that history has lacked for more than 24 hours will not come any more: each
number gets a row of the kind unrecorded. The last one has all L$ by which the regular balance changed in the gap, the one
before it those of the restricted balance, and the others 0. A change that has lacked parts of its lots for so long gets them (parts),
where the lots tell which they are. Where history goes on beyond a customer's last change, as a restore may leave it, rows of the
kind unrecorded lead back to the balances: run it before their credit changes. Balances never change. You may run it twice, and
while the store is open.`;

export const addCreditBackfill = (credit: StoreCommand): void => {
  credit
    .command('backfill')
    .description('Completes the history of credit where it cannot complete itself. Shows the rows, and asks first.')
    .option('--dry-run', 'only show the rows that it would write; exit code 1 if there are any')
    .option('--yes', 'do not ask, for use without a terminal')
    .addHelpText('after', rule)
    .examples('store credit backfill --dry-run', 'store credit backfill', 'store credit backfill --yes')
    .runs(run);
};
