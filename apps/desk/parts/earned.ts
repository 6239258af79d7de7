import type { Earned } from '../../shared/earnings.ts';
import { chartWords } from '../words/chart.ts';
import type { Series } from './chart.tsx';

/**
 * The earnings of some days for a chart: what stays, on it what goes to others, and the numbers of what was given back,
 * which neither holds any more. A day without earnings is still ahead.
 */
export const earnedSeries = (days: readonly (Earned | undefined)[]): Series[] => [
  { name: chartWords.yours, tone: 'one', values: days.map((day) => day?.yours) },
  { name: chartWords.others, tone: 'others', values: days.map((day) => day && day.shares + day.commissions) },
  { name: chartWords.givenBack, tone: 'two', drawn: 'none', values: days.map((day) => day?.refunded) },
];
