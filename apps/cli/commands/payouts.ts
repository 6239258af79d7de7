import { Option } from 'commander';
import * as z from 'zod';
import { now, timestamp } from '../../../lib/clock.ts';
import type { PayeeAnswer } from '../../../lib/routes/payouts.ts';
import { findStore } from '../../../lib/store/stores.ts';
import type { Separator } from '../../shared/csv.ts';
import { owedNow, type PayoutLine, type PayoutSums, payoutsOf, type Span } from '../deployment/payouts.ts';
import { type GlobalOptions, openStore } from '../deployment/target.ts';
import { columns as csvColumns } from '../kinds/columns.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { UsageError } from '../terminal/errors.ts';
import { parseDay } from '../terminal/input.ts';
import { type Column, counted, grouped, isJson, note, print, shownTime } from '../terminal/output.ts';
import { printCsv, separatorOption } from './export.ts';
import { addPayoutActions } from './payout-actions.ts';

interface PayoutOptions extends GlobalOptions, Partial<Span> {
  sales?: boolean;
  csv?: boolean;
  separator?: Separator;
}

const owedStyle = (amount: number) => (amount < 0 ? ('red' as const) : undefined);

const sumColumns: Column<PayoutSums>[] = [
  { heading: 'owed to', cell: ({ username }) => username },
  { heading: 'L$', cell: ({ owed }) => owed, style: ({ owed }) => owedStyle(owed) },
  { heading: 'of sales', cell: ({ sales }) => sales },
  { heading: 'earned', cell: ({ earned }) => earned },
  { heading: 'refunds', cell: ({ refunds }) => refunds },
  { heading: 'taken back', cell: ({ takenBack }) => takenBack },
  { heading: 'to give back', cell: ({ toGiveBack }) => toGiveBack },
  { heading: 'paid', cell: ({ paid }) => paid },
  { heading: 'avatar', cell: ({ residentUuid }) => residentUuid },
];

const owedColumns: Column<PayeeAnswer>[] = [
  { heading: 'owed to', cell: ({ username }) => username },
  { heading: 'L$', cell: ({ owed }) => owed, style: ({ owed }) => owedStyle(owed) },
  { heading: 'claimed', cell: ({ claimed }) => claimed },
  { heading: 'unknown', cell: ({ unknown }) => unknown, style: ({ unknown }) => (unknown > 0 ? 'yellow' : undefined) },
  { heading: 'paid', cell: ({ paid }) => paid },
  { heading: 'avatar', cell: ({ residentUuid }) => residentUuid },
];

const lineColumns: Column<PayoutLine>[] = [
  { heading: 'owed to', cell: ({ username }) => username },
  { heading: 'L$', cell: ({ amount }) => amount, style: ({ amount }) => owedStyle(amount) },
  { heading: 'share', cell: ({ kind, percent }) => (percent === null ? 'to give back' : `${kind} ${percent} %`) },
  { heading: 'of the', cell: ({ cause }) => cause },
  { heading: 'at', cell: ({ at }) => shownTime(at) },
  { heading: 'sale', cell: ({ saleId }) => saleId },
  { heading: 'product', cell: ({ productId }) => productId },
];

const any = z.unknown();

const sumFile = csvColumns({
  residentUuid: ['text', any, ''],
  username: ['text', any, ''],
  sales: ['integer', any, ''],
  earned: ['integer', any, ''],
  refunds: ['integer', any, ''],
  takenBack: ['integer', any, ''],
  toGiveBack: ['integer', any, ''],
  paid: ['integer', any, ''],
  owed: ['integer', any, ''],
});

const owedFile = csvColumns({
  residentUuid: ['text', any, ''],
  username: ['text', any, ''],
  owed: ['integer', any, ''],
  claimed: ['integer', any, ''],
  unknown: ['integer', any, ''],
  paid: ['integer', any, ''],
});

const lineFile = csvColumns({
  residentUuid: ['text', any, ''],
  username: ['text', any, ''],
  saleId: ['text', any, ''],
  productId: ['text', any, ''],
  cause: ['text', any, ''],
  at: ['text', any, ''],
  kind: ['text', any, ''],
  percent: ['number', any, ''],
  amount: ['integer', any, ''],
});

/** If no cashier can claim a payout now, prints the reason. */
const noteStanding = async (store: string): Promise<void> => {
  const { payoutsBegunAt, payoutsStoppedAt } = (await findStore(store)) ?? {};
  if (payoutsBegunAt === undefined) note('No cashier can claim anything before store payouts begin.');
  else if (payoutsStoppedAt !== undefined)
    note('The table was restored, so nothing is paid before store payouts resume: see docs/operate/recover.md.');
};

const printOwed = async ({ id, name }: { id: string; name: string }, { csv, separator }: PayoutOptions) => {
  const rows = await owedNow(id);
  if (csv) printCsv(owedFile, rows, separator);
  else print(rows, owedColumns, `${name} owes nothing.`);
  const owed = rows.reduce((sum, each) => sum + Math.max(each.owed, 0), 0);
  if (rows.length > 0) note(`L$ ${grouped(owed)} are owed now.`);
  await noteStanding(id);
};

const printSpan = async ({ id, name }: { id: string; name: string }, span: Span, options: PayoutOptions) => {
  const { sales = false, csv = false, separator } = options;
  const { from, to } = span;
  const found = await payoutsOf(id, span, sales);
  const none = `${name} owes nothing for ${from} to ${to}.`;
  if (csv) printCsv(sales ? lineFile : sumFile, sales ? found.lines : found.payouts, separator);
  else if (sales) print(found.lines, lineColumns, none);
  else print(found.payouts, sumColumns, none);
  const owed = found.payouts.reduce((sum, each) => sum + each.owed, 0);
  if (found.payouts.length > 0)
    note(`${from} to ${to}, UTC: L$ ${grouped(owed)} for ${counted(found.payouts.length, 'avatar')}.`);
  if (to >= timestamp(now()).slice(0, 10)) note(`${to} is not over yet, so these sums may still change.`);
};

const payouts = async (options: PayoutOptions): Promise<void> => {
  const { from, to, sales, csv, separator } = options;
  if (separator && !csv) throw new UsageError('--separator goes with --csv.');
  if ((from === undefined) !== (to === undefined))
    throw new UsageError('Give both --from and --to, or neither: then it shows what is owed now.');
  if (sales && from === undefined) throw new UsageError('--sales goes with --from and --to.');
  if (from !== undefined && to !== undefined && from > to)
    throw new UsageError(`--from ${from} must not be after --to ${to}.`);
  if (csv && isJson()) throw new UsageError('Give either --csv or --json.');
  const { store } = await openStore(options);
  if (from === undefined || to === undefined) await printOwed(store, options);
  else await printSpan(store, { from, to }, options);
};

const rule = `
A span tells what was earned (shares of the sales made in it), taken back (those of the sales refunded in it), is to be given back to buyers
(refunds with payOut) and was paid; owed = earned - taken back + to give back - paid. Over all time that is what is owed, claimed and unknown
now. Sales that an import brought never count.`;

export const addPayouts = (program: StoreCommand): void => {
  const group = program
    .command('payouts')
    .description(
      'What the store owes, and to which avatars: now, or what a span of days has changed. Subcommands pay it.',
    )
    .addOption(new Option('--from <day>', 'the first day, in UTC, such as 2030-01-01').argParser(parseDay))
    .addOption(new Option('--to <day>', 'the last day, in UTC, such as 2030-01-31').argParser(parseDay))
    .option('--sales', 'show each share of each sale behind the sums of a span')
    .option('--csv', 'print CSV')
    .addOption(separatorOption())
    .addHelpText('after', rule)
    .examples(
      'store payouts',
      'store payouts --csv > owed.csv',
      'store payouts --from 2030-01-01 --to 2030-01-31',
      'store payouts --from 2030-01-01 --to 2030-01-31 --sales --csv > january-sales.csv',
    )
    .runs(payouts);
  addPayoutActions(group);
};
