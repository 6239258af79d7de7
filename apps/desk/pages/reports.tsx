import { useState } from 'preact/hooks';
import type { DaysResponse } from '../../client/client.ts';
import {
  addSale,
  type Best,
  bestOf,
  type Earned,
  earningsOf,
  noSales,
  nothingEarned,
  plusEarned,
} from '../../shared/earnings.ts';
import { link, useAddress } from '../address.ts';
import { count, monthName } from '../format.ts';
import { customerName, productName } from '../names.ts';
import { amountColumn, type Column } from '../parts/column.tsx';
import { Copy } from '../parts/copy.tsx';
import { Heading } from '../parts/heading.tsx';
import { Export, Filter, Table } from '../parts/list.tsx';
import { Show, useLoad } from '../parts/load.tsx';
import { NamedCustomer, NamedProduct } from '../parts/names.tsx';
import { type Session, useSession } from '../session.ts';
import { dayMillis } from '../sums.ts';
import { texts } from '../texts.ts';
import { t } from './reports.texts.ts';
import { DayCharts } from './reports-charts.tsx';

/** The service sums up at most this many days at a time. */
const maxDays = 366;
/** At most this many sales of a month are read. */
const maxSales = 20_000;
/** The service answers at most this many at a time. */
const pageSize = 1000;
/** This many of the best are shown. A file has them all. */
const shown = 15;

interface Month extends Earned {
  month: string;
  sales: number;
  creditAdded: number;
  creditSpent: number;
}

const byMonth = (days: DaysResponse['data']): Month[] => {
  const months = new Map<string, Month>();
  for (const of of days) {
    const month = of.day.slice(0, 7);
    const before = months.get(month) ?? { ...nothingEarned, month, sales: 0, creditAdded: 0, creditSpent: 0 };
    months.set(month, {
      ...plusEarned(before, earningsOf(of)),
      month,
      sales: before.sales + of.sales,
      creditAdded: before.creditAdded + (of.creditAdded ?? 0),
      creditSpent: before.creditSpent + (of.creditSpent ?? 0),
    });
  }
  return [...months.values()].reverse();
};

const monthColumns: readonly Column<Month>[] = [
  {
    heading: t.month,
    cell: ({ month }) => <a href={link('/reports', { month })}>{monthName(month)}</a>,
    value: ({ month }) => month,
  },
  { heading: t.sales, cell: ({ sales }) => count(sales), value: ({ sales }) => sales, isNumber: true },
  amountColumn(t.paid, ({ paid }) => paid, 'note'),
  amountColumn(t.refunded, ({ refunded }) => refunded, 'note'),
  amountColumn(t.shares, ({ shares }) => shares, 'note'),
  amountColumn(t.commissions, ({ commissions }) => commissions, 'note'),
  amountColumn(t.yours, ({ yours }) => yours, 'main'),
  amountColumn(t.creditAdded, ({ creditAdded }) => creditAdded, 'note'),
  amountColumn(t.creditSpent, ({ creditSpent }) => creditSpent, 'note'),
];

interface Sold {
  products: Best[];
  buyers: Best[];
  isCut: boolean;
}

/** The first moment of a month in UTC, or of a following one. */
const startOf = (month: string, ahead = 0): string => {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + ahead)).toISOString();
};

/** Sums up the sales of a month while reading them, and reports their number after each page. */
const soldIn = async (
  { client }: Session,
  month: string,
  signal: AbortSignal,
  onRead: (read: number) => void,
): Promise<Sold> => {
  const query = { state: 'completed' as const, from: startOf(month), to: startOf(month, 1), limit: pageSize };
  const sums = noSales();
  let read = 0;
  let isCut = false;
  for await (const sale of client.rows('/v1/sales', { query, signal })) {
    isCut = read === maxSales;
    if (isCut) break;
    addSale(sums, sale);
    read += 1;
    if (read % pageSize === 0) onRead(read);
  }
  return { products: bestOf(sums.products), buyers: bestOf(sums.buyers), isCut };
};

const numberColumns: readonly Column<Best>[] = [
  {
    heading: t.sales,
    cell: ({ sales }) => count(sales),
    value: ({ sales }) => sales,
    total: (rows) => count(rows.reduce((sum, { sales }) => sum + sales, 0)),
    isNumber: true,
  },
  amountColumn(t.paid, ({ paid }) => paid, 'note'),
  amountColumn(t.shares, ({ shares }) => shares, 'note'),
  amountColumn(t.commissions, ({ commissions }) => commissions, 'note'),
  amountColumn(t.yours, ({ yours }) => yours, 'main'),
  amountColumn(t.bonus, ({ bonus }) => bonus, 'note'),
];

const productColumns = (session: Session): readonly Column<Best>[] => [
  { heading: t.product, cell: ({ id }) => <NamedProduct id={id} />, value: ({ id }) => productName(session, id) },
  ...numberColumns,
];

const buyerColumns = (session: Session): readonly Column<Best>[] => [
  { heading: t.buyer, cell: ({ id }) => <NamedCustomer uuid={id} />, value: ({ id }) => customerName(session, id) },
  ...numberColumns,
];

interface RankingProps {
  id: string;
  title: string;
  rows: readonly Best[];
  columns: readonly Column<Best>[];
}

const Ranking = ({ id, title, rows, columns }: RankingProps) => (
  <section class="card" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    <Table
      caption={title}
      columns={columns}
      rows={rows.slice(0, shown)}
      keyOf={(row) => row.id}
      empty={t.nothingSold}
      foot={{ said: texts.list.count(rows.length), rows }}
    />
    {rows.length > 0 && (
      <nav class="pages" aria-label={title}>
        <Export columns={columns} all={() => rows} file={id} />
      </nav>
    )}
  </section>
);

/** Says that there are more sales than the page reads, and which command sums up all of them. */
const Cut = ({ month }: { month: string }) => (
  <div class="notice is-warn">
    <p>{t.cut(maxSales)}</p>
    <p>
      <code>{t.command(month)}</code>
    </p>
    <Copy text={t.command(month)} label={texts.copyCommand} said={texts.copiedCommand} />
  </div>
);

interface BestOfProps {
  month: string;
  /** The number of sales in the sums of the days, once these are known: roughly the number to read. */
  made: number | undefined;
}

const BestOf = ({ month, made }: BestOfProps) => {
  const session = useSession();
  const [read, setRead] = useState(0);
  const sold = useLoad((signal) => soldIn(session, month, signal, setRead), [month]);
  return (
    <>
      {sold.isLoading && read > 0 && (
        <p class="help" role="status">
          {t.reading(read, Math.min(made ?? 0, maxSales))}
        </p>
      )}
      <Show of={sold}>
        {({ products, buyers, isCut }) => (
          <div class="stack">
            {isCut && <Cut month={month} />}
            <div class="charts">
              <Ranking
                id="best-products"
                title={t.products(monthName(month))}
                rows={products}
                columns={productColumns(session)}
              />
              <Ranking
                id="best-buyers"
                title={t.buyers(monthName(month))}
                rows={buyers}
                columns={buyerColumns(session)}
              />
            </div>
          </div>
        )}
      </Show>
    </>
  );
};

const isMonth = (text: string | undefined): text is string => /^\d{4}-(0[1-9]|1[0-2])$/.test(text ?? '');

const Months = ({ rows }: { rows: readonly Month[] }) => {
  const { can } = useSession();
  return (
    <section class="stack" aria-labelledby="by-month">
      <h2 id="by-month">{t.byMonth}</h2>
      <Table caption={t.byMonth} columns={monthColumns} rows={rows} keyOf={(row) => row.month} empty={t.nothing} />
      {rows.length > 0 && (
        <nav class="pages" aria-label={t.byMonth}>
          <Export columns={monthColumns} all={() => rows} file="months" />
          {can('payouts:read') && (
            <a class="button is-quiet" href={link('/payouts')}>
              {t.payouts}
            </a>
          )}
        </nav>
      )}
    </section>
  );
};

export const ReportsPage = () => {
  const { client } = useSession();
  const { query } = useAddress();
  const from = new Date(Date.now() - (maxDays - 1) * dayMillis).toISOString().slice(0, 10);
  const days = useLoad((signal) => client.get('/v1/store/days', { query: { from }, signal }), [from]);
  const now = new Date().toISOString().slice(0, 7);
  const month = isMonth(query.month) ? query.month : now;
  const months = Array.from({ length: 12 }, (_, ago) => startOf(now, -ago).slice(0, 7));
  return (
    <>
      <Heading title={t.title} />
      <p class="help intro">{t.intro}</p>
      <div class="stack home">
        <Show of={days}>
          {({ data }) => (
            <div class="stack">
              <Months rows={byMonth(data)} />
              <DayCharts data={data} />
            </div>
          )}
        </Show>
        <section class="stack">
          <div class="filters">
            <Filter
              name="month"
              label={t.month}
              options={[...new Set([...months, month])].map((one) => [one, monthName(one)] as const)}
              initial={now}
            />
          </div>
          <BestOf
            key={month}
            month={month}
            made={byMonth(days.value?.data ?? []).find((one) => one.month === month)?.sales}
          />
        </section>
      </div>
    </>
  );
};
