import type { SaleResponse } from '../../client/client.ts';
import { earningsOf, nothingEarned } from '../../shared/earnings.ts';
import { useAddress } from '../address.ts';
import { startOfDay } from '../format.ts';
import { EarnedChart } from '../parts/earned.tsx';
import { useLoad } from '../parts/load.tsx';
import type { Listing } from '../parts/rows.ts';
import { useSession } from '../session.ts';
import { dayMillis, daysBetween, earnedByDay, isoDay } from '../sums.ts';
import { chartWords } from '../words/chart.ts';

/** The days of a list that is too long to be read, unless its filters or the service's bound shorten them. */
const span = 90;
/** The service sums up at most this many days at a time, and more would have no room. */
const most = 366;

/** The first and the last day of the plot, as the filters have them, in UTC. */
const endsOf = ({ from, to }: Record<string, string>, first: string) => {
  const today = isoDay(Date.now());
  const asked = startOfDay(to)?.slice(0, 10) ?? today;
  const last = asked < today ? asked : today;
  const oldest = isoDay(Date.parse(last) - (most - 1) * dayMillis);
  const begin = startOfDay(from)?.slice(0, 10) ?? first;
  return { from: begin < oldest ? oldest : begin > last ? last : begin, to: last };
};

const OfRows = ({ sales }: { sales: readonly SaleResponse[] }) => {
  const { query } = useAddress();
  const first = sales.reduce((day, { at }) => (at < day ? at : day), isoDay(Date.now()));
  const { from, to } = endsOf(query, first.slice(0, 10));
  const days = daysBetween(from, to);
  const earned = earnedByDay(sales);
  return (
    <EarnedChart title={chartWords.sales} days={days} earned={days.map((day) => earned.get(day) ?? nothingEarned)} />
  );
};

/** The service's sums, which know no other filters than days. */
const OfDays = () => {
  const { client } = useSession();
  const { query } = useAddress();
  const { from, to } = endsOf(query, isoDay(Date.now() - (span - 1) * dayMillis));
  const { value } = useLoad((signal) => client.get('/v1/store/days', { query: { from, to }, signal }), [from, to]);
  if (!value) return null;
  const byDay = new Map(value.data.map((day) => [day.day, earningsOf(day)]));
  const days = daysBetween(from, to);
  return (
    <EarnedChart title={chartWords.sales} days={days} earned={days.map((day) => byDay.get(day) ?? nothingEarned)} />
  );
};

/** A plot of the sales that the list has under its filters, each on the day on which it was made. */
export const SalesChart = ({ of: { whole, cut, isReading } }: { of: Listing<SaleResponse> }) => {
  const { query } = useAddress();
  const isOfAll = !query.state && !query.buyer && !query.product;
  if (isReading) return <div class="card chart is-reading" aria-hidden="true" />;
  if (whole) return whole.length > 0 ? <OfRows sales={whole} /> : null;
  return cut && isOfAll ? <OfDays /> : null;
};
