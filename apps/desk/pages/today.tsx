import '../parts/first-view.ts';
import type { SaleResponse } from '../../client/client.ts';
import { earnedBy } from '../../shared/earnings.ts';
import { link } from '../address.ts';
import { ago, count, dayRange, money, monthName, time } from '../format.ts';
import type { Day } from '../parts/days.tsx';
import { Show, useLoad } from '../parts/load.tsx';
import { NamedCustomer, NamedProduct } from '../parts/names.tsx';
import { useSession } from '../session.ts';
import { bestProducts, dayMillis, isoDay, type NewestSales, type Sum, spansOf } from '../sums.ts';
import { texts } from '../texts.ts';

const t = texts.home;

/** This many of the newest sales are read, and this many lines of them are shown. */
const read = 50;
const shown = 5;
const spanDays = 30;

const SpanFact = ({ title, sum, notes }: { title: string; sum: Sum; notes: readonly string[] }) => (
  <div>
    <dt>{title}</dt>
    <dd>
      {money(sum.yours)} <span class="help">{t.yours}</span>
      <p class="help">{t.paidIn(sum.paid, sum.sales)}</p>
      {sum.refunded > 0 && <p class="help">{t.givenBack(sum.refunded)}</p>}
      {(sum.shares !== 0 || sum.commissions !== 0) && <p class="help">{t.toOthers(sum.shares, sum.commissions)}</p>}
      {notes.map((note) => (
        <p key={note} class="help">
          {note}
        </p>
      ))}
    </dd>
  </div>
);

/** Today and this month, each with the span before it, and words that say which part of that span is compared. */
const Spans = ({ days, newest }: { days: readonly Day[]; newest: NewestSales }) => {
  const now = Date.now();
  const { day, month } = spansOf(days, newest, now);
  const { same, last } = month;
  return (
    <dl class="facts spans">
      <SpanFact
        title={t.today}
        sum={day.sum}
        notes={[
          ...(day.beforeByNow === undefined ? [] : [t.yesterdayByNow(day.beforeByNow)]),
          t.yesterdayWhole(day.before.yours),
        ]}
      />
      <SpanFact
        title={monthName(isoDay(now).slice(0, 7))}
        sum={month.sum}
        notes={[
          ...(same === last ? [] : [t.of(dayRange(`${last.slice(0, 7)}-01`, same), month.beforeByNow.yours)]),
          t.of(monthName(last.slice(0, 7)), month.before.yours),
        ]}
      />
    </dl>
  );
};

const Last = ({ sales }: { sales: readonly SaleResponse[] }) => (
  <section class="card" aria-labelledby="last-sales">
    <h2 id="last-sales">{t.lastSales}</h2>
    {sales.length === 0 && <p class="help">{t.noSales}</p>}
    <ul class="rows">
      {sales.slice(0, shown).map((sale) => (
        <li key={sale.id} class="row">
          <NamedProduct id={sale.productId}>
            <span class="help">
              {sale.buyerUuid !== null && <NamedCustomer uuid={sale.buyerUuid} />}{' '}
              <a class="person" href={link(`/sales/${encodeURIComponent(sale.id)}`)} title={time(sale.at)}>
                {ago(sale.at)}
              </a>
            </span>
          </NamedProduct>
          <b>{sale.state === 'refunded' ? t.refunded : money(earnedBy(sale).yours)}</b>
        </li>
      ))}
    </ul>
  </section>
);

const Best = ({ sales, isCut }: { sales: readonly SaleResponse[]; isCut: boolean }) => {
  const best = bestProducts(sales);
  return (
    <section class="card" aria-labelledby="best-sellers">
      <h2 id="best-sellers">{t.bestSellers}</h2>
      <p class="help">{best.length === 0 ? t.noSales : isCut ? t.ofNewest(sales.length) : t.ofDays(spanDays)}</p>
      <ul class="rows">
        {best.slice(0, shown).map(({ id, sales: sold, yours }) => (
          <li key={id} class="row">
            <NamedProduct id={id}>
              <span class="help">{count(sold)}×</span>
            </NamedProduct>
            <b>{money(yours)}</b>
          </li>
        ))}
      </ul>
    </section>
  );
};

/** The sales of today and of this month, the last sales and the best sellers. */
export const Today = ({ days }: { days: readonly Day[] }) => {
  const { client } = useSession();
  const newest = useLoad((signal) => {
    const from = `${isoDay(Date.now() - (spanDays - 1) * dayMillis)}T00:00:00Z`;
    return client.get('/v1/sales', { query: { from, limit: read }, signal });
  }, []);
  return (
    <Show of={newest}>
      {(page) => {
        const sales = page.data.filter(({ state }) => state !== 'refused');
        return (
          <div class="stack">
            <Spans days={days} newest={page} />
            <div class="charts">
              <Last sales={sales} />
              <Best sales={sales} isCut={page.pagination.nextCursor !== null} />
            </div>
          </div>
        );
      }}
    </Show>
  );
};
