import type { DaysResponse } from '../../client/client.ts';
import { earningsOf, nothingEarned } from '../../shared/earnings.ts';
import { count, money } from '../format.ts';
import { Chart } from '../parts/chart.tsx';
import { type Day, everyDay, SpanFilter, useSpan } from '../parts/days.tsx';
import { EarnedChart } from '../parts/earned.tsx';
import { chartWords } from '../words/chart.ts';
import { t } from './reports.texts.ts';

const Charts = ({ data, span }: { data: readonly Day[]; span: number }) => {
  const { days, rows, held } = everyDay(data, span);
  const valuesOf = (pick: (day: Day) => number) => rows.map((day) => (day ? pick(day) : 0));
  return (
    <div class="charts">
      <EarnedChart
        title={chartWords.sales}
        days={days}
        earned={rows.map((day) => (day ? earningsOf(day) : nothingEarned))}
      />
      <Chart
        title={t.credit}
        kind="bars"
        days={days}
        format={money}
        series={[
          { name: t.added, tone: 'one', values: valuesOf(({ creditAdded }) => creditAdded) },
          { name: t.spent, tone: 'two', drawn: 'down', values: valuesOf(({ creditSpent }) => creditSpent) },
          { name: t.expired, tone: 'three', drawn: 'down', values: valuesOf(({ creditExpired }) => creditExpired) },
          { name: t.removed, tone: 'four', drawn: 'down', values: valuesOf(({ creditRemoved }) => creditRemoved) },
        ]}
      />
      <Chart
        title={t.held}
        kind="lines"
        days={days}
        format={money}
        series={[
          { name: t.regular, tone: 'one', values: held.map((day) => day?.credit) },
          { name: t.restricted, tone: 'two', values: held.map((day) => day?.restrictedCredit) },
        ]}
      />
      <Chart
        title={t.deliveries}
        kind="bars"
        days={days}
        format={count}
        series={[
          { name: t.delivered, tone: 'one', values: valuesOf(({ delivered }) => delivered) },
          { name: t.failed, tone: 'two', drawn: 'down', values: valuesOf(({ failed }) => failed) },
        ]}
      />
    </div>
  );
};

/** Sales, credit and deliveries on the days that the address asks for, out of all days that the page has read. */
export const DayCharts = ({ data }: { data: DaysResponse['data'] }) => {
  const { span, from } = useSpan();
  const inSpan = data.filter(({ day }) => day >= from);
  return (
    <section class="stack" aria-labelledby="by-day">
      <h2 id="by-day">{t.byDay}</h2>
      <div class="filters">
        <SpanFilter />
      </div>
      {inSpan.length === 0 ? <p class="empty">{t.nothingInDays}</p> : <Charts data={inSpan as Day[]} span={span} />}
    </section>
  );
};
