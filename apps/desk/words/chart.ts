import { some } from '../format.ts';

/** The words of charts and of the spans that they show. */
export const chartWords = {
  table: 'Show the numbers',
  nothing: 'Nothing yet',
  day: 'Day',
  sum: (days: number) => `in ${some(days, 'day', 'days')}`,
  last: 'Today',
  /** Of a part that takes the arrow keys. */
  keys: (title: string) => `${title}: the arrow keys choose a day`,
  range: 'Period',
  ranges: { 7: '7 days', 30: '30 days', 90: '90 days', 365: 'A year' },
  sales: 'Sales',
  yours: 'Yours',
  others: 'Shares and commissions',
  givenBack: 'Given back',
};
