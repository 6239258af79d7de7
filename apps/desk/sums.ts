import type { DaysResponse, SaleResponse } from '../client/client.ts';
import {
  addSale,
  type Best,
  bestOf,
  type Earned,
  earnedBy,
  earningsOf,
  noSales,
  nothingEarned,
  plusEarned,
} from '../shared/earnings.ts';

/** Sums over days and sales. */

export const dayMillis = 86_400_000;
const hourMillis = 3_600_000;

/** A day in UTC. */
export const isoDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

type SaleDay = Pick<
  DaysResponse['data'][number],
  'day' | 'sales' | 'refunds' | 'paid' | 'refunded' | 'shares' | 'commissions'
>;

/** The earnings of some days. */
export interface Sum extends Earned {
  sales: number;
  refunds: number;
}

/** The sums of the days from `from` to `to`, both included. */
const sumOf = (days: readonly SaleDay[], from: string, to: string): Sum => {
  let sum: Sum = { ...nothingEarned, sales: 0, refunds: 0 };
  for (const of of days) {
    if (of.day < from || of.day > to) continue;
    const counts = { sales: sum.sales + of.sales, refunds: sum.refunds + of.refunds };
    sum = { ...plusEarned(sum, earningsOf(of)), ...counts };
  }
  return sum;
};

/** The first day of the month before that of `today`. */
export const monthBefore = (today: string): string => {
  const [year = 0, month = 1] = today.split('-').map(Number);
  return isoDay(Date.UTC(year, month - 2));
};

/** A page of sales in all states, the newest first. */
export interface NewestSales {
  data: readonly SaleResponse[];
  pagination: { nextCursor: string | null };
}

/** The L$ that a sale or a refund brought or took. */
interface Gain {
  at: string;
  yours: number;
}

/**
 * The sales and refunds of a day. Undefined if the list does not reach back to that day, or if it disagrees with the
 * day's sums. The sums count only what this service sold, and follow a sale by a moment.
 */
const gainsOn = (day: string, { data, pagination }: NewestSales, { sales, refunds }: Sum): Gain[] | undefined => {
  const isWhole = pagination.nextCursor === null || (data.at(-1)?.at ?? '') < day;
  const sold = data.filter(({ at, state }) => at.startsWith(day) && state !== 'refused');
  const refunded = data.filter(({ refundedAt }) => refundedAt?.startsWith(day));
  if (!isWhole || sold.length !== sales || refunded.length !== refunds) return undefined;
  // A sale earned what stayed until it was refunded.
  const madeOf = (sale: SaleResponse): number => earnedBy({ ...sale, state: 'completed', refund: sale.change }).yours;
  return [
    ...sold.map((sale) => ({ at: sale.at, yours: madeOf(sale) })),
    ...refunded.map((sale) => ({ at: sale.refundedAt ?? '', yours: -madeOf(sale) })),
  ];
};

/** The L$ that were earned up to a moment, this one included. */
const earnedUntil = (gains: readonly Gain[] | undefined, time: number): number | undefined =>
  gains?.reduce((sum, { at, yours }) => (Date.parse(at) <= time ? sum + yours : sum), 0);

/** The L$ that a day had earned at its start and after each hour so far. Undefined where the list does not tell. */
const earnedByHour = (gains: readonly Gain[] | undefined, now: number): number[] | undefined => {
  const start = Date.parse(isoDay(now));
  const hours = Math.floor((now - start) / hourMillis);
  const times = Array.from({ length: hours + 1 }, (_, hour) => start + hour * hourMillis - 1);
  return gains && [...times, now].map((time) => earnedUntil(gains, time) ?? 0);
};

/** Today, the day before it, and this month so far. Days and months are in UTC. */
export const spansOf = (days: readonly SaleDay[], newest: NewestSales, now: number) => {
  const [today, yesterday] = [isoDay(now), isoDay(now - dayMillis)];
  const [sum, before] = [sumOf(days, today, today), sumOf(days, yesterday, yesterday)];
  return {
    day: {
      sum,
      byHour: earnedByHour(gainsOn(today, newest, sum), now),
      before,
      beforeByNow: earnedUntil(gainsOn(yesterday, newest, before), now - dayMillis),
    },
    month: sumOf(days, `${today.slice(0, 7)}-01`, today),
  };
};

/** All days of the month of a day. */
const daysOfMonth = (day: string): string[] => {
  const [year = 0, month = 1] = day.split('-').map(Number);
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return Array.from({ length: last }, (_, index) => isoDay(Date.UTC(year, month - 1, index + 1)));
};

/**
 * This month by its days, with what each earned, and what the day with the same number in the month before had left.
 * Both are undefined where there is no such day, or not yet.
 */
export const monthByDay = (given: readonly SaleDay[], now: number) => {
  const today = isoDay(now);
  const byDay = new Map(given.map((one) => [one.day, earningsOf(one)]));
  const earnedOn = (day: string): Earned => byDay.get(day) ?? nothingEarned;
  const [days, daysBefore] = [daysOfMonth(today), daysOfMonth(monthBefore(today))];
  return {
    days,
    earned: days.map((day) => (day > today ? undefined : earnedOn(day))),
    before: days.map((_, index) => {
      const same = daysBefore[index];
      return same === undefined ? undefined : earnedOn(same).yours;
    }),
  };
};

/** All days from one to another, both included. */
export const daysBetween = (from: string, to: string): string[] => {
  const length = Math.round((Date.parse(to) - Date.parse(from)) / dayMillis) + 1;
  return Array.from({ length }, (_, index) => isoDay(Date.parse(from) + index * dayMillis));
};

/** The earnings of sales by the day on which they were made. A refund counts on that day too, as it does in a list. */
export const earnedByDay = (sales: readonly SaleResponse[]): Map<string, Earned> => {
  const days = new Map<string, Earned>();
  for (const sale of sales) {
    const day = sale.at.slice(0, 10);
    days.set(day, plusEarned(days.get(day) ?? nothingEarned, earnedBy(sale)));
  }
  return days;
};

/** The completed sales of a product, and what stayed of them on each of some days. */
export interface SoldProduct {
  sales: number;
  yours: number;
  byDay: number[];
}

/** Completed sales by their product. `days` are those on which they were made. */
export const soldByProduct = (sales: readonly SaleResponse[], days: readonly string[]): Map<string, SoldProduct> => {
  const places = new Map(days.map((day, index) => [day, index]));
  const products = new Map<string, SoldProduct>();
  for (const sale of sales) {
    const { productId, at } = sale;
    const sum = products.get(productId) ?? { sales: 0, yours: 0, byDay: days.map(() => 0) };
    const { yours } = earnedBy(sale);
    const place = places.get(at.slice(0, 10)) ?? 0;
    sum.sales += 1;
    sum.yours += yours;
    sum.byDay[place] = (sum.byDay[place] ?? 0) + yours;
    products.set(productId, sum);
  }
  return products;
};

/** The products that sold best among completed sales. */
export const bestProducts = (sales: readonly SaleResponse[]): Best[] => {
  const sums = noSales();
  for (const sale of sales) if (sale.state === 'completed') addSale(sums, sale);
  return bestOf(sums.products);
};
