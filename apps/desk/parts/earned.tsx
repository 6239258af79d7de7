import type { Earned } from '../../shared/earnings.ts';
import { money } from '../format.ts';
import { chartWords } from '../words/chart.ts';
import { Chart, type Series } from './chart.tsx';

interface EarnedChartProps {
  title: string;
  days: readonly string[];
  /** The earnings of each day. A day without them is still ahead. */
  earned: readonly (Earned | undefined)[];
  /** The span before. */
  before?: readonly Series[];
}

/**
 * The earnings of some days: the part that stays, on it the part of others, and the numbers of the L$ that were given
 * back, which neither holds any more.
 */
export const EarnedChart = ({ title, days, earned, before = [] }: EarnedChartProps) => (
  <Chart
    title={title}
    kind="bars"
    days={days}
    format={money}
    series={[
      { name: chartWords.yours, tone: 'one', values: earned.map((day) => day?.yours) },
      { name: chartWords.others, tone: 'others', values: earned.map((day) => day && day.shares + day.commissions) },
      { name: chartWords.givenBack, tone: 'two', drawn: 'none', values: earned.map((day) => day?.refunded) },
      ...before,
    ]}
  />
);
