import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { dayName, short } from '../format.ts';
import { chartWords } from '../words/chart.ts';

/** A row of numbers, one for each day; undefined if it is unknown. Bars below 0 go down. */
export interface Series {
  name: string;
  values: readonly (number | undefined)[];
  /** `others` lies on `one`, as a part of the same whole. `before` is a dashed line, which a narrow plot leaves out. */
  tone: 'one' | 'two' | 'three' | 'four' | 'others' | 'before';
  /** `down`: its bars go down. `none`: only its numbers are shown. */
  drawn?: 'down' | 'none';
}

interface ChartProps {
  title: string;
  days: readonly string[];
  series: readonly Series[];
  kind: 'bars' | 'lines';
  /** A number in full, for the legend and the table. */
  format: (value: number) => string;
}

const height = 168;
/** The least width of a plot that has the line of the span before. */
const wideEnough = 460;
const margin = { top: 8, right: 4, bottom: 22, left: 44 };

/** About three round numbers from `low` to `high`, 0 among them. */
const ticksOf = (low: number, high: number): number[] => {
  const rough = Math.max(high - low, 1) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10));
  const first = Math.floor(low / step);
  const count = Math.ceil(high / step) - first;
  return Array.from({ length: Math.max(count, 1) + 1 }, (_, index) => (first + index) * step);
};

const useWidth = () => {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return { box, width };
};

const total = (values: Series['values']): number => values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

/** The height of a bar: below 0 it goes down. */
const barOf = ({ values, drawn }: Series, day: number): number => (values[day] ?? 0) * (drawn === 'down' ? -1 : 1);

const isBar = ({ tone }: Series): boolean => tone !== 'before';

/** How many days have a number already. The days of a month that are still ahead have none. */
const knownDays = ({ days, series }: Pick<ChartProps, 'days' | 'series'>): number =>
  days.findLastIndex((_, day) => series[0]?.values[day] !== undefined) + 1;

/** The lowest and the highest value: of the stacked bars' sums, or of the lines. */
const rangeOf = (kind: ChartProps['kind'], days: number, series: readonly Series[]): [number, number] => {
  const sums = Array.from({ length: days }, (_, day) => {
    const bars = series.filter(isBar).map((one) => barOf(one, day));
    const lines = series.filter((one) => kind === 'lines' || !isBar(one)).map(({ values }) => values[day] ?? 0);
    return kind === 'lines'
      ? lines
      : [...lines, total(bars.filter((value) => value < 0)), total(bars.filter((value) => value > 0))];
  }).flat();
  return [Math.min(0, ...sums), Math.max(0, ...sums)];
};

/** The places of days and numbers in a plot with this width. */
const chartScale = (width: number, days: number, ticks: readonly number[]) => {
  const [low, high] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const inner = { width: Math.max(width - margin.left - margin.right, 1), height: height - margin.top - margin.bottom };
  const step = inner.width / days;
  return {
    inner,
    step,
    x: (day: number): number => margin.left + step * day,
    /** The middle of a day. */
    middle: (day: number): number => margin.left + step * day + step / 2,
    y: (value: number): number => margin.top + inner.height * (1 - (value - low) / (high - low || 1)),
    /** Of this many days one is labelled. */
    labelled: Math.max(1, Math.ceil((days * 64) / inner.width)),
  };
};

type Scale = ReturnType<typeof chartScale>;

/** The stacked bars of a day. */
const barsOf = ({ step, x, y }: Scale, series: readonly Series[], day: number) => {
  const thick = Math.min(Math.max(step * 0.7, 1), 22);
  const ends = { up: 0, down: 0 };
  return series.filter(isBar).map((one) => {
    const { name, tone } = one;
    const value = barOf(one, day);
    if (value === 0) return null;
    const side = value > 0 ? 'up' : 'down';
    const from = ends[side];
    ends[side] += value;
    const [top, bottom] = [y(Math.max(from, ends[side])), y(Math.min(from, ends[side]))];
    return (
      <rect
        key={name}
        class={`is-${tone}`}
        x={x(day) + (step - thick) / 2}
        y={top}
        width={thick}
        height={Math.max(bottom - top, 1)}
        rx={Math.min(2, thick / 4)}
      />
    );
  });
};

const lineOf = ({ middle, y }: Scale, { name, values, tone }: Series, active: number | undefined) => (
  <g key={name}>
    <polyline
      class={`is-${tone}`}
      points={values.flatMap((value, day) => (value === undefined ? [] : `${middle(day)},${y(value)}`)).join(' ')}
    />
    {/* Without it a line of one day would not be seen. */}
    <circle class={`is-${tone}`} cx={middle(values.length - 1)} cy={y(values.at(-1) ?? 0)} r="2.5" />
    {active !== undefined && values[active] !== undefined && (
      <circle class={`is-${tone}`} cx={middle(active)} cy={y(values[active] ?? 0)} r="3.5" />
    )}
  </g>
);

/** The span before, a step for each day, so that it is not taken for a value between two days. */
const stepsOf = ({ x, y, step }: Scale, { name, values }: Series) => (
  <path
    key={name}
    class="is-before"
    d={values
      .map((value, day) =>
        value === undefined ? '' : `${values[day - 1] === undefined ? 'M' : 'L'}${x(day)} ${y(value)}h${step}`,
      )
      .join('')}
  />
);

const tickLine = ({ y }: Scale, width: number, tick: number) => (
  <g key={tick}>
    <line class={tick === 0 ? 'is-zero' : ''} x1={margin.left} x2={width - margin.right} y1={y(tick)} y2={y(tick)} />
    <text x={margin.left - 8} y={y(tick)} class="is-tick">
      {short(tick)}
    </text>
  </g>
);

interface PlotProps extends Pick<ChartProps, 'days' | 'series' | 'kind'> {
  width: number;
  /** The day under the pointer. */
  active: number | undefined;
  setActive: (day: number | undefined) => void;
}

const Plot = ({ days, series, kind, width, active, setActive }: PlotProps) => {
  const ticks = ticksOf(...rangeOf(kind, days.length, series));
  const scale = chartScale(width, days.length, ticks);
  const { inner, step, x, middle, labelled } = scale;
  const point = (event: PointerEvent & { currentTarget: SVGSVGElement }) => {
    const at = Math.floor((event.clientX - event.currentTarget.getBoundingClientRect().left - margin.left) / step);
    setActive(at >= 0 && at < days.length ? at : undefined);
  };
  const isNamed = (index: number): boolean =>
    (days.length - 1 - index) % labelled === 0 && middle(index) > margin.left + 16;
  return (
    <svg
      width={width}
      height={height}
      aria-hidden="true"
      onPointerMove={point}
      onPointerDown={point}
      onPointerLeave={() => setActive(undefined)}
    >
      {ticks.map((tick) => tickLine(scale, width, tick))}
      {active !== undefined && (
        <rect class="is-active" x={x(active)} y={margin.top} width={step} height={inner.height} />
      )}
      {days.map(
        (day, index) =>
          isNamed(index) && (
            <text key={day} class="is-day" x={Math.min(middle(index), width - 22)} y={height - 4}>
              {dayName(day)}
            </text>
          ),
      )}
      {kind === 'bars'
        ? [
            ...days.map((_, day) => barsOf(scale, series, day)),
            ...series.filter((one) => !isBar(one)).map((one) => stepsOf(scale, one)),
          ]
        : series.map((one) => lineOf(scale, one, active))}
    </svg>
  );
};

const DayTable = ({ title, days, series, format }: Omit<ChartProps, 'kind'>) => (
  <>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard. */}
    <section class="scroll" tabIndex={0} aria-label={title}>
      <table>
        <thead>
          <tr>
            <th scope="col">{chartWords.day}</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.map((day, index) => (
            <tr key={day}>
              <th scope="row">{dayName(day)}</th>
              {series.map(({ name, values }) => (
                <td key={name}>{values[index] === undefined ? '–' : format(values[index])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  </>
);

/** The numbers of the chosen day. Without one, the sums of bars and the last numbers of lines. */
const Legend = ({ days, series, kind, format, active }: Omit<ChartProps, 'title'> & Pick<PlotProps, 'active'>) => {
  const known = knownDays({ days, series });
  const shown = ({ values }: Series): number => {
    if (active !== undefined) return values[active] ?? 0;
    // The span before counts as far as the one that it is compared with.
    return kind === 'lines' ? (values.at(-1) ?? 0) : total(values.slice(0, known));
  };
  const ofAll = kind === 'lines' ? chartWords.last : chartWords.sum(known);
  return (
    <ul class="legend">
      {series.map((one) => (
        <li key={one.name}>
          {one.drawn !== 'none' && <span class={`dot is-${one.tone}`} />} {one.name} <b>{format(shown(one))}</b>
        </li>
      ))}
      <li class="help">{active === undefined ? ofAll : dayName(days[active] ?? '')}</li>
    </ul>
  );
};

/** The day that an arrow, Home or End leads to; undefined for any other key. */
const dayOfKey = (key: string, active: number | undefined, last: number): number | undefined => {
  if (key === 'Home') return 0;
  if (key === 'End') return last;
  if (key === 'ArrowLeft') return Math.max((active ?? last + 1) - 1, 0);
  if (key === 'ArrowRight') return Math.min((active ?? last - 1) + 1, last);
  return undefined;
};

/** A day with its numbers in words. */
const inWords = ({ days, series, format }: Pick<ChartProps, 'days' | 'series' | 'format'>, day: number): string => {
  const numbers = series.flatMap(({ name, values }) =>
    values[day] === undefined ? [] : `${name} ${format(values[day])}`,
  );
  return `${dayName(days[day] ?? '')}: ${numbers.join(', ')}`;
};

/**
 * A chart by days, with a legend that shows the numbers of the day under the pointer, and a table with all numbers. It
 * is one stop of the keyboard, whose arrows choose the day.
 */
export const Chart = ({ title, days, series, kind, format }: ChartProps) => {
  const { box, width } = useWidth();
  const titleId = useId();
  const [active, setActive] = useState<number>();
  const [said, setSaid] = useState('');
  const [hasTable, setTable] = useState(false);
  const shown = series.filter((one) => isBar(one) || width >= wideEnough);
  const isEmpty = width > 0 && shown.every(({ values }) => values.every((value) => !value));
  const press = (event: KeyboardEvent) => {
    const day = dayOfKey(event.key, active, knownDays({ days, series }) - 1);
    if (day === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    setActive(day);
    setSaid(inWords({ days, series, format }, day));
  };
  const leave = () => {
    setActive(undefined);
    setSaid('');
  };
  const keys = {
    role: 'application',
    tabIndex: 0,
    'aria-label': chartWords.keys(title),
    onKeyDown: press,
    onBlur: leave,
  } as const;
  return (
    <figure class="card chart" aria-labelledby={titleId}>
      <header>
        <h2 id={titleId}>{title}</h2>
        <Legend days={days} series={shown} kind={kind} format={format} active={active} />
      </header>
      <div ref={box} class="plot" {...(isEmpty ? {} : keys)}>
        {isEmpty && <p class="empty">{chartWords.nothing}</p>}
        {width > 0 && !isEmpty && (
          <Plot
            days={days}
            series={shown.filter(({ drawn }) => drawn !== 'none')}
            kind={kind}
            width={width}
            active={active}
            setActive={setActive}
          />
        )}
      </div>
      <p class="hidden-text" aria-live="polite">
        {said}
      </p>
      <details onToggle={({ currentTarget: { open } }) => setTable(open)}>
        <summary>{chartWords.table}</summary>
        {hasTable && <DayTable title={title} days={days} series={series} format={format} />}
      </details>
    </figure>
  );
};
