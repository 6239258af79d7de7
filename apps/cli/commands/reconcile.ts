import { InvalidArgumentError, Option } from 'commander';
import { timestamp } from '../../../lib/clock.ts';
import { normalised } from '../../../lib/normalise.ts';
import { bookTransfer, transactionOf } from '../../../lib/operator/book-transfer.ts';
import { settlePayout } from '../../../lib/payout/settle.ts';
import { readBooks, type Transfer } from '../books/expected-transfers.ts';
import {
  type Difference,
  differenceKinds,
  ignoredName,
  type KnownPayout,
  startReconciling,
  type UnbookedTransfer,
} from '../books/reconcile.ts';
import {
  type HistoryField,
  type HistoryMap,
  type HistoryReading,
  historyFields,
  readHistory,
} from '../data/l-dollars.ts';
import { type TimesBeside, wordsOfTimes } from '../data/times.ts';
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
  ignoreType: string[];
  ignoreOrders?: boolean;
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

/** The time zone of the times on Second Life's web site. */
const gridZone = 'America/Los_Angeles';

/** The rows of all files. Times are in milliseconds since 1970. */
interface Span extends TimesBeside {
  first: number;
  last: number;
  count: number;
  /** True if some times were read in the zone. */
  isZoned: boolean;
  /** The number of rows that were left out, by reason. */
  leftOut: Map<string, number>;
  /** The types of all rows. */
  types: Set<string>;
}

/** Makes a function that says why the options leave out a row. */
const leavingOut = ({ ignoreType, ignoreOrders = false }: ReconcileOptions) => {
  const types = new Set(ignoreType.map((type) => normalised(type).trim()));
  return ({ type, order }: { type: string; order: string }): string | undefined => {
    if (ignoreOrders && order !== '') return 'an order on the marketplace';
    return types.has(normalised(type)) ? `the type ${type}` : undefined;
  };
};

/** Reads all rows of the files. Throws if no row moves L$. */
const readAll = async (
  files: readonly string[],
  options: ReconcileOptions,
  what: string,
  onTransfer: (transfer: Transfer) => void,
): Promise<Span> => {
  const { map = {}, zone = gridZone } = options;
  const progress = startProgress(what);
  const why = leavingOut(options);
  const span: Span = {
    first: Number.POSITIVE_INFINITY,
    last: Number.NEGATIVE_INFINITY,
    count: 0,
    isZoned: false,
    twice: 0,
    never: 0,
    leftOut: new Map(),
    types: new Set(),
  };
  const reading: HistoryReading = {
    zone,
    isLeftOut: (row) => {
      span.types.add(row.type);
      const reason = why(row);
      if (reason !== undefined) span.leftOut.set(reason, (span.leftOut.get(reason) ?? 0) + 1);
      return reason !== undefined;
    },
    onZoned: (beside) => {
      span.isZoned = true;
      if (beside) span[beside] += 1;
    },
  };
  const needed: HistoryField[] = [
    ...(options.ignoreType.length > 0 ? (['type'] as const) : []),
    ...(options.ignoreOrders ? (['order'] as const) : []),
  ];
  try {
    for (const file of files)
      for await (const transfer of readHistory(file, map, needed, reading)) {
        span.first = Math.min(span.first, transfer.at);
        span.last = Math.max(span.last, transfer.or ?? transfer.at);
        progress.update(++span.count);
        onTransfer(transfer);
      }
  } finally {
    progress.end();
  }
  if (span.count === 0) throw new Failure(`${files.join(', ')}: there is no row that moves L$, or all are left out.`);
  return span;
};

const compare = async (store: string, files: readonly string[], options: ReconcileOptions) => {
  // The first pass finds faults and the span of time, so that memory holds only the books of that span.
  const span = await readAll(files, options, 'Checking', () => {});
  const progress = startProgress('Reading the books');
  const day = 86_400_000;
  const range = { first: timestamp(span.first - 3 * day), last: timestamp(span.last + day) };
  const books = await readBooks(store, range, (count) => progress.update(count)).finally(progress.end);
  const reconciling = startReconciling(books, new Set(options.ignore.map(ignoredName)));
  await readAll(files, options, 'Comparing', reconciling.take);
  return { span, ...reconciling.end(span.first, span.last) };
};

/** Prints which rows were left out, and which types of rows could be left out too. */
const noteLeftOut = (
  { leftOut, types }: Span,
  ignored: number,
  differences: readonly Difference[],
  { ignore, ignoreType }: ReconcileOptions,
): void => {
  for (const [why, count] of leftOut) note(`Left out: ${counted(count, 'row')} of ${why}.`);
  if (ignore.length > 0) note(`Left out: ${counted(ignored, 'row')} in no book of avatars behind --ignore.`);
  const there = new Set([...types].map((type) => normalised(type)));
  const named = [...types].filter((type) => type !== '').join(', ');
  for (const type of ignoreType)
    if (!there.has(normalised(type).trim())) note(`There is no row of the type ${type}. There are: ${named}.`);
  const open = Map.groupBy(differences, ({ type }) => type ?? '');
  open.delete('');
  const byType = [...open].sort(([, a], [, b]) => b.length - a.length);
  if (byType.length === 0) return;
  const told = byType.map(([type, { length }]) => `${type} ${grouped(length)}`).join(', ');
  note(
    `These differences by type: ${told}. Leave out what is no business of the store, such as --ignore-type "Upload Fee", or --ignore-orders for the marketplace.`,
  );
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
 * Books transfers: all unambiguous ones with --book, and the lines that the person names. Answers the differences that
 * are booked now. If a line cannot be booked, throws before it writes anything.
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
  const { span, known, doubtful, unbooked, givenBack, ignored, repeated } = found;
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
  noteLeftOut(span, ignored, differences, options);
  const { zone = gridZone } = options;
  for (const words of wordsOfTimes(span, zone, 'each counts as either.')) note(words);
  if (span.isZoned && options.zone === undefined)
    note(`Times without a zone were taken as those of Second Life. If they are others: --zone UTC`);
  note(
    `Compared ${counted(span.count, 'row')} from ${shownTime(timestamp(span.first))} to ${shownTime(timestamp(span.last))}.`,
  );
  if (differences.length > 0) throw new UnsuccessfulError();
};

const width = Math.max(...Object.keys(historyFields).map(({ length }) => length));

const help = `
The file is the transaction history that Second Life's web site saves as CSV; docs/operate/examples/l-dollar-history.csv has its form. Name the
columns of another one with --map, by their name or as #2:
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
    .option(
      '--ignore-type <type>',
      'a type of transfers that are no business of the store, such as "Upload Fee"; may be repeated',
      (type: string, before: string[]) => [...before, type],
      [],
    )
    .option('--ignore-orders', 'leave out rows with an Order ID, which are sales on the marketplace')
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
      'store reconcile may.csv june.csv --ignore-orders --ignore-type "Upload Fee" --settle',
      'store reconcile may.csv --ignore "Rita Landlady"',
      'store reconcile history.csv --book --book-line history.csv:12',
      'store reconcile history.csv --map "When=at" --map "Avatar=who" --map "L$=amount" --zone UTC',
    )
    .runs(reconcile);
};
