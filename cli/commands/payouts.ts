import { Option } from 'commander';
import * as z from 'zod';
import { now, timestamp } from '../../lib/clock.ts';
import type { Separator } from '../data/format.ts';
import { linesOf } from '../data/write.ts';
import { type Payout, type PayoutLine, payoutsOf, type Span } from '../deployment/payouts.ts';
import { type GlobalOptions, openStore } from '../deployment/target.ts';
import { columns as csvColumns, type Values } from '../kinds/columns.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { UsageError } from '../terminal/errors.ts';
import { parseDay } from '../terminal/input.ts';
import { type Column, counted, grouped, isJson, note, print, shownTime } from '../terminal/output.ts';
import { separatorOption } from './export.ts';

interface PayoutOptions extends GlobalOptions, Span {
  sales?: boolean;
  csv?: boolean;
  separator?: Separator;
}

const owedStyle = (amount: number) => (amount < 0 ? ('red' as const) : undefined);

const columns: Column<Payout>[] = [
  { heading: 'owed to', cell: ({ username }) => username },
  { heading: 'L$', cell: ({ owed }) => owed, style: ({ owed }) => owedStyle(owed) },
  { heading: 'of sales', cell: ({ sales }) => sales },
  { heading: 'earned', cell: ({ earned }) => earned },
  { heading: 'refunds', cell: ({ refunds }) => refunds },
  { heading: 'taken back', cell: ({ takenBack }) => takenBack },
  { heading: 'avatar', cell: ({ residentUuid }) => residentUuid },
];

const lineColumns: Column<PayoutLine>[] = [
  { heading: 'owed to', cell: ({ username }) => username },
  { heading: 'L$', cell: ({ amount }) => amount, style: ({ amount }) => owedStyle(amount) },
  { heading: 'share', cell: ({ kind, percent }) => `${kind} ${percent} %` },
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
  owed: ['integer', any, ''],
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

const printCsv = (file: ReturnType<typeof csvColumns>, rows: readonly object[], separator?: Separator): void => {
  const { header, row } = linesOf({ columns: file }, 'csv', separator);
  process.stdout.write(header + rows.map((one) => row(one as Values)).join(''));
};

const payouts = async (options: PayoutOptions): Promise<void> => {
  const { from, to, sales = false, csv = false, separator } = options;
  if (separator && !csv) throw new UsageError('--separator goes with --csv.');
  if (from > to) throw new UsageError(`--from ${from} must not be after --to ${to}.`);
  if (csv && isJson()) throw new UsageError('Give either --csv or --json.');
  const { store } = await openStore(options);
  const found = await payoutsOf(store.id, { from, to }, sales);
  const none = `${store.name} owes nothing for ${from} to ${to}.`;
  if (csv) printCsv(sales ? lineFile : sumFile, sales ? found.lines : found.payouts, separator);
  else if (sales) print(found.lines, lineColumns, none);
  else print(found.payouts, columns, none);
  const owed = found.payouts.reduce((sum, each) => sum + each.owed, 0);
  if (found.payouts.length > 0)
    note(`${from} to ${to}, UTC: L$ ${grouped(owed)} for ${counted(found.payouts.length, 'avatar')}.`);
  if (to >= timestamp(now()).slice(0, 10)) note(`${to} is not over yet, so these sums may still change.`);
};

/** Adds `store payouts`. */
export const addPayouts = (program: StoreCommand): void => {
  program
    .command('payouts')
    .description(
      'Sums up what the store owes to whom: commissions and profit shares of the sales made in a span of days, less those of the sales refunded in it.',
    )
    .addOption(
      new Option('--from <day>', 'the first day, in UTC, such as 2030-01-01').argParser(parseDay).makeOptionMandatory(),
    )
    .addOption(
      new Option('--to <day>', 'the last day, in UTC, such as 2030-01-31').argParser(parseDay).makeOptionMandatory(),
    )
    .option('--sales', 'show each share of each sale behind the sums')
    .option('--csv', 'print CSV')
    .addOption(separatorOption())
    .examples(
      'store payouts --from 2030-01-01 --to 2030-01-31',
      'store payouts --from 2030-01-01 --to 2030-01-31 --csv > january.csv',
      'store payouts --from 2030-01-01 --to 2030-01-31 --sales --csv > january-sales.csv',
    )
    .runs(payouts);
};
