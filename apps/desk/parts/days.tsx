import type { DaysResponse } from '../../client/client.ts';
import { useAddress } from '../address.ts';
import { dayMillis, isoDay } from '../sums.ts';
import { chartWords } from '../words/chart.ts';
import { Filter } from './list.tsx';

/** Only a vendor's days lack some sums. */
export type Day = Required<DaysResponse['data'][number]>;

/** The first of the last this many days in UTC. */
export const firstDay = (span: number): string => isoDay(Date.now() - (span - 1) * dayMillis);

/** The number of days that the address asks for, and the first of them. */
export const useSpan = (): { span: number; from: string } => {
  const { query } = useAddress();
  const span = Object.hasOwn(chartWords.ranges, query.days ?? '') ? Number(query.days) : 30;
  return { span, from: firstDay(span) };
};

/** The choice of `useSpan`. */
export const SpanFilter = () => (
  <Filter name="days" label={chartWords.range} options={Object.entries(chartWords.ranges)} initial="30" />
);

/**
 * Every day of the span. The service leaves out days on which nothing happened: what customers hold is then unchanged.
 */
export const everyDay = <D extends { day: string }>(given: readonly D[], span: number) => {
  const byDay = new Map(given.map((day) => [day.day, day]));
  const days = Array.from({ length: span }, (_, index) => isoDay(Date.now() - (span - 1 - index) * dayMillis));
  let last: D | undefined;
  const held = days.map((day) => {
    last = byDay.get(day) ?? last;
    return last;
  });
  return { days, rows: days.map((day) => byDay.get(day)), held };
};
