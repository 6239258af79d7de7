import type { DaysResponse } from '../../client/client.ts';
import { link, useAddress } from '../address.ts';
import { count, money, monthName } from '../format.ts';
import { customerName, productName } from '../names.ts';
import { Heading } from '../parts/heading.tsx';
import { type Column, Export, Filter, Table } from '../parts/list.tsx';
import { Show, useLoad } from '../parts/load.tsx';
import { NamedCustomer, ProductLink } from '../parts/names.tsx';
import { type Session, useSession } from '../session.ts';
import { addSale, type Best, bestOf, dayMillis } from '../sums.ts';
import { pageTexts } from '../texts-pages.ts';

const t = pageTexts.reports;

/** The service sums up so many days at a time. */
const maxDays = 366;
/** As many sales of a month are read at the most. */
const maxSales = 20_000;
/** Of the best so many are shown; a file has all. */
const shown = 15;

interface Month {
  month: string;
  sales: number;
  paid: number;
  refunded: number;
  creditAdded: number;
  creditSpent: number;
}

const byMonth = (days: DaysResponse['data']): Month[] => {
  const months = new Map<string, Month>();
  for (const { day, sales, paid, refunded, creditAdded = 0, creditSpent = 0 } of days) {
    const month = day.slice(0, 7);
    const before = months.get(month) ?? { month, sales: 0, paid: 0, refunded: 0, creditAdded: 0, creditSpent: 0 };
    months.set(month, {
      month,
      sales: before.sales + sales,
      paid: before.paid + paid,
      refunded: before.refunded + refunded,
      creditAdded: before.creditAdded + creditAdded,
      creditSpent: before.creditSpent + creditSpent,
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
  { heading: t.paid, cell: ({ paid }) => money(paid), value: ({ paid }) => paid, isNumber: true },
  { heading: t.refunded, cell: ({ refunded }) => money(refunded), value: ({ refunded }) => refunded, isNumber: true },
  {
    heading: t.received,
    inRow: 'main',
    cell: ({ paid, refunded }) => <b>{money(paid - refunded)}</b>,
    value: ({ paid, refunded }) => paid - refunded,
    isNumber: true,
  },
  {
    heading: t.creditAdded,
    cell: ({ creditAdded }) => money(creditAdded),
    value: ({ creditAdded }) => creditAdded,
    isNumber: true,
  },
  {
    heading: t.creditSpent,
    cell: ({ creditSpent }) => money(creditSpent),
    value: ({ creditSpent }) => creditSpent,
    isNumber: true,
  },
];

interface Sold {
  products: Best[];
  buyers: Best[];
  isCut: boolean;
}

/** The first moment of a month of UTC, or of the one after it. */
const startOf = (month: string, ahead = 0): string => {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + ahead)).toISOString();
};

const soldIn = async ({ client }: Session, month: string, signal: AbortSignal): Promise<Sold> => {
  const query = { state: 'completed' as const, from: startOf(month), to: startOf(month, 1), limit: 1000 };
  const [products, buyers] = [new Map<string, Best>(), new Map<string, Best>()];
  let read = 0;
  for await (const sale of client.rows('/v1/sales', { query, signal })) {
    if (read === maxSales) return { products: bestOf(products), buyers: bestOf(buyers), isCut: true };
    read += 1;
    addSale(products, sale.productId, sale);
    if (sale.buyerUuid !== null) addSale(buyers, sale.buyerUuid, sale);
  }
  return { products: bestOf(products), buyers: bestOf(buyers), isCut: false };
};

const numberColumns: readonly Column<Best>[] = [
  { heading: t.sales, cell: ({ sales }) => count(sales), value: ({ sales }) => sales, isNumber: true },
  {
    heading: t.received,
    inRow: 'main',
    cell: ({ received }) => money(received),
    value: ({ received }) => received,
    isNumber: true,
  },
  { heading: t.bonus, cell: ({ bonus }) => money(bonus), value: ({ bonus }) => bonus, isNumber: true },
];

const productColumns = (session: Session): readonly Column<Best>[] => [
  { heading: t.product, cell: ({ id }) => <ProductLink id={id} />, value: ({ id }) => productName(session, id) },
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
    />
    {rows.length > 0 && (
      <nav class="pages" aria-label={title}>
        <Export columns={columns} all={() => rows} file={id} />
      </nav>
    )}
  </section>
);

const BestOf = ({ month }: { month: string }) => {
  const session = useSession();
  const sold = useLoad((signal) => soldIn(session, month, signal), [month]);
  return (
    <Show of={sold}>
      {({ products, buyers, isCut }) => (
        <div class="stack">
          {isCut && <p class="notice is-warn">{t.cut(maxSales)}</p>}
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
  );
};

const isMonth = (text: string | undefined): text is string => /^\d{4}-(0[1-9]|1[0-2])$/.test(text ?? '');

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
          {({ data }) => {
            const rows = byMonth(data);
            return (
              <section class="stack" aria-labelledby="by-month">
                <h2 id="by-month">{t.byMonth}</h2>
                <Table
                  caption={t.byMonth}
                  columns={monthColumns}
                  rows={rows}
                  keyOf={(row) => row.month}
                  empty={t.nothing}
                />
                {rows.length > 0 && (
                  <nav class="pages" aria-label={t.byMonth}>
                    <Export columns={monthColumns} all={() => rows} file="months" />
                  </nav>
                )}
              </section>
            );
          }}
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
          <BestOf month={month} />
        </section>
      </div>
    </>
  );
};
