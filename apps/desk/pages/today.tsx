import '../parts/first-view.ts';
import type { ComponentChildren } from 'preact';
import type { PayeeResponse, SaleResponse } from '../../client/client.ts';
import { earnedBy } from '../../shared/earnings.ts';
import { link } from '../address.ts';
import { ago, count, money, monthOf, time } from '../format.ts';
import type { Day } from '../parts/days.tsx';
import { EarnedChart } from '../parts/earned.tsx';
import { CustomerLink } from '../parts/list.tsx';
import { Show, useLoad } from '../parts/load.tsx';
import { NamedCustomer, NamedProduct } from '../parts/names.tsx';
import { Avatar } from '../parts/picture.tsx';
import { Spark } from '../parts/spark.tsx';
import { type Session, useSession } from '../session.ts';
import { bestProducts, dayMillis, isoDay, monthBefore, monthByDay, type NewestSales, spansOf } from '../sums.ts';
import { texts } from '../texts.ts';
import { t } from './today.texts.ts';

/** This many of the newest sales are read, and this many lines of them are shown. */
const read = 50;
const shown = 5;
const spanDays = 30;

interface SumsRead {
  /** From the first day of the month before this one. */
  days: readonly Day[];
  /** The newest sales of the last 30 days. */
  newest: NewestSales;
  /** Undefined for a key that may not see them. */
  payees: readonly PayeeResponse[] | undefined;
}

/** Everybody who is owed L$, the largest sum first. */
const readPayees = async ({ client }: Session, signal: AbortSignal): Promise<PayeeResponse[]> => {
  const payees: PayeeResponse[] = [];
  for await (const payee of client.rows('/v1/payees', { query: { owed: true, limit: 1000 }, signal }))
    payees.push(payee);
  return payees.sort((a, b) => b.owed - a.owed);
};

const readSums = async (session: Session, signal: AbortSignal): Promise<SumsRead> => {
  const { client, can } = session;
  const today = isoDay(Date.now());
  const from = `${isoDay(Date.now() - (spanDays - 1) * dayMillis)}T00:00:00Z`;
  const [days, newest, payees] = await Promise.all([
    client.get('/v1/store/days', { query: { from: monthBefore(today) }, signal }),
    client.get('/v1/sales', { query: { from, limit: read }, signal }),
    can('payouts:read') ? readPayees(session, signal) : undefined,
  ]);
  return { days: days.data as Day[], newest, payees };
};

const owedTo = (payees: readonly PayeeResponse[]): number => payees.reduce((sum, { owed }) => sum + owed, 0);

interface FigureProps {
  title: string;
  amount: number;
  notes: readonly (string | false)[];
  children?: ComponentChildren;
}

const Figure = ({ title, amount, notes, children }: FigureProps) => (
  <div class="card">
    <dt>{title}</dt>
    <dd>
      <span class="figure">
        <b>{money(amount)}</b>
        {children}
      </span>
      {notes.map(
        (note) =>
          note && (
            <p key={note} class="help">
              {note}
            </p>
          ),
      )}
    </dd>
  </div>
);

/** Where the money stands: earned today and this month, owed to others, and held by customers as credit. */
const Figures = ({ days, newest, payees, now }: SumsRead & { now: number }) => {
  const { day, month } = spansOf(days, newest, now);
  const held = days.at(-1);
  const others = month.shares + month.commissions;
  const less = [month.refunded > 0 && t.givenBack(month.refunded), others !== 0 && t.toOthers(others)].filter(
    (part) => part !== false,
  );
  return (
    <dl class="figures">
      <Figure
        title={t.today}
        amount={day.sum.yours}
        notes={[
          t.sales(day.sum.sales),
          day.beforeByNow === undefined ? t.yesterday(day.before.yours) : t.yesterdayByNow(day.beforeByNow),
        ]}
      >
        {day.byHour && <Spark values={day.byHour} />}
      </Figure>
      <Figure
        title={t.yoursIn(monthOf(isoDay(now)))}
        amount={month.yours}
        notes={[t.paid(month.paid), less.join(', ')]}
      />
      {payees && <Figure title={t.youOwe} amount={owedTo(payees)} notes={[t.toPeople(payees.length)]} />}
      {held && (
        <Figure
          title={t.held}
          amount={held.credit + held.restrictedCredit}
          notes={[held.restrictedCredit > 0 && t.restricted(held.restrictedCredit)]}
        />
      )}
    </dl>
  );
};

const Month = ({ days: given, now }: { days: readonly Day[]; now: number }) => {
  const { days, earned, before } = monthByDay(given, now);
  const today = isoDay(now);
  return (
    <EarnedChart
      title={t.salesIn(monthOf(today))}
      days={days}
      earned={earned}
      before={
        // A line along 0 would say nothing of a store that is new.
        before.some((yours) => yours)
          ? [{ name: t.yoursIn(monthOf(monthBefore(today))), tone: 'before', values: before }]
          : []
      }
    />
  );
};

interface CardProps {
  id: string;
  title: string;
  /** The page with all of them. */
  to: string;
  all?: string;
}

const CardHeading = ({ id, title, to, all = t.all }: CardProps) => (
  <header>
    <h2 id={id}>{title}</h2>
    <a href={link(to)}>
      {all}
      <span class="hidden-text">: {title}</span>
    </a>
  </header>
);

const Last = ({ sales }: { sales: readonly SaleResponse[] }) => (
  <section class="card" aria-labelledby="last-sales">
    <CardHeading id="last-sales" title={t.lastSales} to="/sales" />
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
      <CardHeading id="best-sellers" title={t.bestSellers} to="/reports" />
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

const Owed = ({ payees }: { payees: readonly PayeeResponse[] }) => (
  <section class="card" aria-labelledby="owed">
    <CardHeading id="owed" title={t.owe} to="/payouts" all={texts.titles.payouts} />
    {payees.length === 0 ? (
      <p class="help">{t.oweNobody}</p>
    ) : (
      <>
        <ul class="rows">
          {payees.slice(0, shown).map(({ residentUuid, username, owed }) => (
            <li key={residentUuid} class="row">
              <span class="name">
                <Avatar id={residentUuid} name={username} />
                <CustomerLink uuid={residentUuid} name={username} />
              </span>
              <b>{money(owed)}</b>
            </li>
          ))}
        </ul>
        <p class="total">
          {t.together} <b>{money(owedTo(payees))}</b>
        </p>
      </>
    )}
  </section>
);

/** The sums of today and of this month, the month by day, the last sales, the best sellers, and what is owed. */
export const Today = () => {
  const session = useSession();
  const loaded = useLoad((signal) => readSums(session, signal), []);
  return (
    <Show of={loaded}>
      {(sums) => {
        const { days, newest, payees } = sums;
        const now = Date.now();
        const sales = newest.data.filter(({ state }) => state !== 'refused');
        return (
          <div class="stack">
            <Figures {...sums} now={now} />
            <Month days={days} now={now} />
            <div class="cards">
              <Best sales={sales} isCut={newest.pagination.nextCursor !== null} />
              <Last sales={sales} />
              {payees && <Owed payees={payees} />}
            </div>
          </div>
        );
      }}
    </Show>
  );
};
