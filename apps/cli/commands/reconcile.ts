import { InvalidArgumentError, Option } from 'commander';
import { timestamp } from '../../../lib/clock.ts';
import { bookTransfer, transactionOf } from '../../../lib/operator/book-transfer.ts';
import { settlePayout } from '../../../lib/payout/settle.ts';
import { readBooks, type Transfer } from '../books/expected-transfers.ts';
import {
  type Difference,
  differenceKinds,
  type KnownPayout,
  startReconciling,
  type UnbookedTransfer,
} from '../books/reconcile.ts';
import { type HistoryField, type HistoryMap, historyFields, readHistory } from '../data/l-dollars.ts';
import { openLog } from '../deployment/log.ts';
import { type GlobalOptions, openStore, type Target } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure, UnsuccessfulError } from '../terminal/errors.ts';
import { type Column, counted, grouped, isJson, jsonLine, note, print, shownTime } from '../terminal/output.ts';
import { startProgress } from '../terminal/progress.ts';
import { halves, parseColumn, parseZone } from './convert.ts';

interface ReconcileOptions extends GlobalOptions {
  map?: HistoryMap;
  zone?: string;
  ignore: string[];
  settle?: boolean;
  book?: boolean;
  bookLine: string[];
}

const parseMap = (text: string, before: HistoryMap = {}): HistoryMap => {
  const [column, field] = halves(text);
  if (field in historyFields) return { ...before, [field as HistoryField]: parseColumn(column) };
  throw new InvalidArgumentError(`There is no field ${field}. There are: ${Object.keys(historyFields).join(', ')}.`);
};

const differenceColumns: Column<Difference>[] = [
  { heading: 'when', cell: ({ at }) => shownTime(at) },
  { heading: 'who', cell: ({ who }) => who },
  { heading: 'L$', cell: ({ amount }) => amount },
  { heading: 'about', cell: ({ about }) => about },
  { heading: 'line', cell: ({ file, line }) => (file === null ? '' : `${file}:${line}`) },
];

const knownColumns: Column<KnownPayout>[] = [
  { heading: 'payout', cell: ({ id }) => id },
  { heading: 'to', cell: ({ who }) => who },
  { heading: 'L$', cell: ({ amount }) => amount },
  { heading: 'transaction', cell: ({ transactionId }) => transactionId ?? '' },
  { heading: 'line', cell: ({ file, line }) => `${file}:${line}` },
];

/** The time of Second Life, which its web site shows. */
const gridZone = 'America/Los_Angeles';

/** Goes through all rows of the files. Answers the first and the last time, and whether some had no zone. */
const readAll = async (
  files: readonly string[],
  { map = {}, zone = gridZone }: ReconcileOptions,
  what: string,
  onTransfer: (transfer: Transfer) => void,
) => {
  const progress = startProgress(what);
  let [first, last, count, isZoned] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, false];
  try {
    for (const file of files)
      for await (const transfer of readHistory(file, map, zone, () => {
        isZoned = true;
      })) {
        first = Math.min(first, transfer.at);
        last = Math.max(last, transfer.at);
        progress.update(++count);
        onTransfer(transfer);
      }
  } finally {
    progress.end();
  }
  if (count === 0) throw new Failure(`${files.join(', ')}: there is no row that moves L$.`);
  return { first, last, count, isZoned };
};

const compare = async (store: string, files: readonly string[], options: ReconcileOptions) => {
  // The first pass finds faults and the time, so that only the books of that time are held in memory.
  const span = await readAll(files, options, 'Checking', () => {});
  const progress = startProgress('Reading the books');
  const day = 86_400_000;
  const range = { first: timestamp(span.first - 3 * day), last: timestamp(span.last + day) };
  const books = await readBooks(store, range, (count) => progress.update(count)).finally(progress.end);
  const reconciling = startReconciling(books, new Set(options.ignore.map((name) => name.toLowerCase())));
  await readAll(files, options, 'Comparing', reconciling.take);
  return { span, ...reconciling.end(span.first, span.last) };
};

const printAll = (differences: readonly Difference[], known: readonly KnownPayout[]): void => {
  if (isJson()) {
    for (const one of differences) process.stdout.write(`${jsonLine(one)}\n`);
    for (const one of known) process.stdout.write(`${jsonLine({ difference: 'unknown that is known now', ...one })}\n`);
    return;
  }
  for (const kind of differenceKinds) {
    const some = differences.filter(({ difference }) => difference === kind);
    note(`${kind}: ${some.length}`, some.length > 0 ? 'red' : 'green');
    if (some.length > 0) print(some, differenceColumns);
  }
  note(`unknown that is known now: ${known.length}`);
  if (known.length > 0) print(known, knownColumns);
};

const placeIn = ({ file, line }: Pick<Transfer, 'file' | 'line'>): string => `${file}:${line}`;

/**
 * Books what was paid: with --book all that can be nothing else, and the lines that the person names. Answers the
 * differences that are booked now. Throws, before it writes, for a line that cannot be booked.
 */
const bookThem = async (
  target: Target,
  store: string,
  unbooked: readonly UnbookedTransfer[],
  { book = false, bookLine }: ReconcileOptions,
): Promise<Set<Difference>> => {
  const places = new Set(unbooked.map(({ transfer }) => placeIn(transfer)));
  const unknown = bookLine.find((place) => !places.has(place));
  if (unknown !== undefined)
    throw new Failure(
      `${unknown} is no transfer that could be booked: --book-line takes the file and line of what was given and not owed, as this command shows them.`,
    );
  const log = await openLog(target);
  const booked = new Set<Difference>();
  for (const one of unbooked) {
    const { uuid, transfer, told, payment } = one;
    const place = placeIn(transfer);
    const row = log('payout.paid', store, { uuid, amount: -transfer.amount, by: 'reconcile' });
    if (bookLine.includes(place) || (book && !payment)) {
      if (await bookTransfer(store, one, row)) booked.add(told);
    } else if (book && payment)
      note(
        `${place} may be change or a refund of the L$ ${grouped(payment.amount)} in ${placeIn(payment)}, for which the books have no sale, so it was not booked. If it was a payout, add --book-line ${place}`,
      );
  }
  return booked;
};

const reconcile = async (options: ReconcileOptions, ...given: unknown[]): Promise<void> => {
  const files = given.flat() as string[];
  const { target, store } = await openStore(options);
  const found = await compare(store.id, files, options);
  const { span, known, doubtful, unbooked, givenBack, repeated } = found;
  const log = await openLog(target);
  const booked = await bookThem(target, store.id, unbooked, options);
  const differences = found.differences.filter((one) => !booked.has(one));
  printAll(differences, known);
  if (givenBack > 0) note(`${counted(givenBack, 'payment')} went back whole to the payer, which is no difference.`);
  for (const id of doubtful)
    note(`More than one transfer may be the payout ${id}: look, and run store payouts settle.`);
  if (options.settle)
    for (const { id, amount, transactionId: transaction } of known) {
      const transactionId = transactionOf(transaction);
      const row = log('payout.settled', store.id, { payout: id, amount, from: 'unknown', to: 'paid', by: 'reconcile' });
      await settlePayout(store.id, id, { result: 'paid', reference: 'reconcile', transactionId }, row);
    }
  if (options.settle) note(`Settled ${counted(known.length, 'payout')} as paid.`);
  if (options.book || options.bookLine.length > 0) note(`Booked ${counted(booked.size, 'transfer')} as paid.`);
  if (repeated > 0) note(`${counted(repeated, 'row')} stand there twice, by their ids.`);
  if (span.isZoned && options.zone === undefined)
    note(`Times without a zone were taken as those of Second Life. If they are others: --zone UTC`);
  note(
    `Compared ${counted(span.count, 'row')} from ${shownTime(timestamp(span.first))} to ${shownTime(timestamp(span.last))}.`,
  );
  if (differences.length > 0) throw new UnsuccessfulError();
};

const width = Math.max(...Object.keys(historyFields).map(({ length }) => length));

const help = `
We have never seen a file that the grid's web site saves. Columns are recognised by the names that we expect, such as Date, Resident, Deposit and
Withdrawal; docs/operate/examples/l-dollar-history.csv is such a file, made up. Name others with --map, by their name or as #2:
${Object.entries(historyFields)
  .map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)
  .join('\n')}

Differences, with exit code 1 where there is one of the first three:
  paid and not sold   L$ came in, and no sale says why
  sold and not paid   a sale, or a payout that counts as paid, of which the history has nothing
  given and not owed  L$ went out that are neither payout, change nor refund
  unknown that is known now  a payout that was paid after all; --settle says so

--book leaves out what went to an avatar who had paid as much or more before, without a sale that says why: a restored table may have lost
the sale, and the transfer be its change or its refund. If you know it for a payout, name it with --book-line. One whose text says payout is booked.

A payment that could not be sold and went back whole to its payer within two days is counted, and is no difference.

A payout is found by its transaction, else by avatar, amount and the 15 minutes after its claim; a sale by payer, amount and time, 15 minutes before or
after. What fits two is told and not settled. Sales before the first and after the last row are not looked for. The history must be that of the avatar
who owns the vendors and the cashier, and have all types of transactions.`;

/** Adds `store reconcile`. */
export const addReconcile = (program: StoreCommand): void => {
  program
    .command('reconcile')
    .description("Compares the L$ history of the merchant's account with sales, change, refunds and payouts.")
    .argument('<file...>', 'the history, as CSV')
    .addOption(new Option('--map <column=field>', 'the meaning of a column; may be repeated').argParser(parseMap))
    .option('--zone <zone>', `of times without one (default: ${gridZone})`, parseZone)
    .option(
      '--ignore <name>',
      'an avatar whose transfers are no business of the store; may be repeated',
      (name: string, before: string[]) => [...before, name],
      [],
    )
    .option('--settle', 'settle the payouts that are known now as paid')
    .option('--book', 'book transfers to those who are owed as much as paid, after a restore')
    .option(
      '--book-line <file:line>',
      'book this one, though it may be change or a refund; may be repeated',
      (place: string, before: string[]) => [...before, place],
      [],
    )
    .addHelpText('after', help)
    .examples(
      'store reconcile docs/operate/examples/l-dollar-history.csv',
      'store reconcile may.csv june.csv --ignore "Linden Lab" --settle',
      'store reconcile history.csv --book --book-line history.csv:12',
      'store reconcile history.csv --map "When=at" --map "Avatar=who" --map "L$=amount" --zone UTC',
    )
    .runs(reconcile);
};
