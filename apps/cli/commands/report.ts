import { InvalidArgumentError, Option } from 'commander';
import * as z from 'zod';
import { now, timestamp } from '../../../lib/clock.ts';
import { everyRow } from '../../../lib/lists/source.ts';
import { readUsernames } from '../../../lib/operator/residents.ts';
import { byRank, saleOf, salesList } from '../../../lib/sale/sales.ts';
import { productKey } from '../../../lib/table/keys.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { getMany } from '../../../lib/table/table.ts';
import type { Separator } from '../../shared/csv.ts';
import { addSale, type Best, bestOf, noSales } from '../../shared/earnings.ts';
import type { Span } from '../deployment/payouts.ts';
import { type GlobalOptions, openStore } from '../deployment/target.ts';
import { columns as csvColumns } from '../kinds/columns.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { UsageError } from '../terminal/errors.ts';
import { parseCount, parseDay } from '../terminal/input.ts';
import { type Column, counted, grouped, isJson, note, print, printUpTo } from '../terminal/output.ts';
import { startProgress } from '../terminal/progress.ts';
import { printCsv, separatorOption } from './export.ts';

interface ReportOptions extends GlobalOptions, Partial<Span> {
  month?: string;
  limit: number;
  csv?: boolean;
  separator?: Separator;
}

/** The sums of a product or of a buyer. They have completed sales only, so nothing was refunded. */
interface ReportRow extends Omit<Best, 'id' | 'refunded'> {
  of: 'product' | 'buyer';
  name: string;
  id: string;
}

const columnsOf = (of: ReportRow['of']): Column<ReportRow>[] => [
  { heading: of, cell: ({ name }) => name, wraps: true },
  { heading: 'sales', cell: ({ sales }) => sales },
  { heading: 'paid', cell: ({ paid }) => paid },
  { heading: 'shares', cell: ({ shares }) => shares },
  { heading: 'commissions', cell: ({ commissions }) => commissions },
  { heading: 'yours', cell: ({ yours }) => yours },
  { heading: 'bonus', cell: ({ bonus }) => bonus },
];

const any = z.unknown();

const file = csvColumns({
  of: ['text', any, ''],
  name: ['text', any, ''],
  sales: ['integer', any, ''],
  paid: ['integer', any, ''],
  shares: ['integer', any, ''],
  commissions: ['integer', any, ''],
  yours: ['integer', any, ''],
  bonus: ['integer', any, ''],
  id: ['text', any, ''],
});

/** The first moment in UTC of the day `ahead` days later. */
const startOf = (day: string, ahead = 0): string => timestamp(Date.parse(day) + ahead * 86_400_000);

/** Sums up the sales of a span that were not refused, one by one. */
const sumUp = async (store: string, { from, to }: Span) => {
  const span = { from: startOf(from), to: startOf(to, 1) };
  const progress = startProgress('Reading sales');
  const sums = noSales();
  let read = 0;
  try {
    for (const state of ['completed', 'refunded'] as const) {
      const { source } = await salesList(store, { state, ...span });
      for await (const sale of everyRow(source, byRank)) {
        addSale(sums, saleOf(sale, false));
        read += 1;
        progress.update(read);
      }
    }
  } finally {
    progress.end();
  }
  const { sales, earned } = sums;
  return { sales, earned, products: bestOf(sums.products), buyers: bestOf(sums.buyers) };
};

/** The names of products by id. Unknown products are missing. */
export const productNames = async (store: string, ids: readonly string[]): Promise<Map<string, string>> => {
  const products = await getMany<Key & { name: string }>(ids.map((id) => productKey(store, id)));
  return new Map(products.map(({ sk, name }) => [sk, name]));
};

const rowsOf = (of: ReportRow['of'], best: readonly Best[], names: ReadonlyMap<string, string>): ReportRow[] =>
  best.map(({ id, refunded: _, ...sums }) => ({ of, name: names.get(id) ?? id, ...sums, id }));

/** The days that the options name; by default this month. */
const spanOf = ({ from, to, month }: ReportOptions): Span => {
  if ((from === undefined) !== (to === undefined)) throw new UsageError('Give both --from and --to, or a --month.');
  if (from !== undefined && to !== undefined) {
    if (from > to) throw new UsageError(`--from ${from} must not be after --to ${to}.`);
    return { from, to };
  }
  const [year = 0, number = 1] = (month ?? timestamp(now())).split('-').map((part) => Number.parseInt(part, 10));
  const dayIn = (...of: [year: number, month: number, day: number]) => timestamp(Date.UTC(...of)).slice(0, 10);
  return { from: dayIn(year, number - 1, 1), to: dayIn(year, number, 0) };
};

const report = async (options: ReportOptions): Promise<void> => {
  const { limit, csv, separator } = options;
  const span = spanOf(options);
  if (separator && !csv) throw new UsageError('--separator goes with --csv.');
  if (csv && isJson()) throw new UsageError('Give either --csv or --json.');
  const { id, name } = (await openStore(options)).store;
  const { sales, earned, products, buyers } = await sumUp(id, span);
  const idsOf = (best: readonly Best[]): string[] => best.map((one) => one.id);
  const sold = rowsOf('product', products, await productNames(id, idsOf(products)));
  const bought = rowsOf('buyer', buyers, await readUsernames(id, idsOf(buyers)));
  const days = `${span.from} to ${span.to}`;
  if (csv) printCsv(file, [...sold, ...bought], separator);
  else if (isJson()) print([...sold, ...bought], []);
  else {
    printUpTo(limit, sold, columnsOf('product'), `${name} sold nothing from ${days}.`);
    if (bought.length > 0) process.stdout.write('\n');
    if (bought.length > 0) printUpTo(limit, bought, columnsOf('buyer'), '');
  }
  const { paid, refunded, shares, commissions, yours } = earned;
  if (sales > 0)
    note(
      `${days}, UTC: L$ ${grouped(yours)} are yours: L$ ${grouped(paid)} paid in ${counted(sales, 'sale')}, less L$ ${grouped(refunded)} given back, ` +
        `L$ ${grouped(shares)} of shares and L$ ${grouped(commissions)} of commissions.`,
    );
  if (span.to >= timestamp(now()).slice(0, 10)) note(`${span.to} is not over yet, so these sums may still change.`);
};

const parseMonth = (text: string): string => {
  if (/^\d{4}-(?:0[1-9]|1[0-2])$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a month such as 2030-01.');
};

const rule = `
Counts the sales that were made on these days, with those that an import brought, as the desk's page Reports does. Paid is what buyers paid, less the
change. Yours is what stays with you: paid, less refunds, the shares of others and the commissions of coupons. A sale that was refunded by now counts in
the last line alone. Bonus is the credit that the sales gave.`;

export const addReport = (program: StoreCommand): void => {
  program
    .command('report')
    .description('Sums up the sales of a month or of other days, in UTC, by product and by buyer, the best first.')
    .addOption(
      new Option('--month <month>', 'the month, such as 2030-01; this month unless days are given')
        .argParser(parseMonth)
        .conflicts(['from', 'to']),
    )
    .addOption(new Option('--from <day>', 'the first day, such as 2030-01-01').argParser(parseDay))
    .addOption(new Option('--to <day>', 'the last day, such as 2030-01-31').argParser(parseDay))
    .option('--limit <number>', 'how many of each the tables show at most; CSV and JSON have all', parseCount, 15)
    .option('--csv', 'print CSV')
    .addOption(separatorOption())
    .addHelpText('after', rule)
    .examples(
      'store report',
      'store report --month 2030-01',
      'store report --month 2030-01 --csv > january.csv',
      'store report --from 2029-01-01 --to 2029-12-31 --json',
    )
    .runs(report);
};
