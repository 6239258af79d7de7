import * as vega from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import type { LoadReport } from './run.ts';

const minutes = (seconds: number): number => Math.round(seconds * 10) / 600;

/** Rate, latency and memory over the run's time, with the kills marked, as SVG. */
export const chartOf = ({ stretches, memorySamples, kills }: LoadReport): Promise<string> => {
  const at = { field: 'at', type: 'quantitative', title: 'minutes' } as const;
  const marks = {
    data: { values: kills.map((kill) => ({ at: minutes(kill.at), killed: kill.what })) },
    mark: { type: 'rule' as const, strokeDash: [3, 3], opacity: 0.7 },
    encoding: {
      x: at,
      color: {
        field: 'killed',
        type: 'nominal' as const,
        scale: { domain: ['service', 'engine'], range: ['#d62728', '#ff9f40'] },
        title: 'killed',
      },
    },
  };
  const panel = (title: string, values: object[], field: string) => ({
    title,
    width: 720,
    height: 150,
    layer: [
      marks,
      {
        data: { values },
        mark: { type: 'line' as const, interpolate: 'linear' as const },
        encoding: {
          x: at,
          y: { field, type: 'quantitative' as const, title: null },
          strokeDash: { field: 'series', type: 'nominal' as const, title: null, sort: null },
          detail: { field: 'start', type: 'nominal' as const },
        },
      },
    ],
  });
  const rate = stretches.map((stretch) => ({
    at: minutes(stretch.at),
    series: 'all endpoints',
    value: stretch.answersPerSecond,
  }));
  const latency = stretches.flatMap((stretch) =>
    (['p50', 'p95', 'p99'] as const).map((series) => ({
      at: minutes(stretch.at),
      series,
      // A stretch in which the service is down has no latency.
      value: stretch.answersPerSecond > 0 ? stretch[series] : null,
    })),
  );
  const memory = memorySamples.flatMap(({ at: second, start, rss, heapUsed, collected }) => [
    { at: minutes(second), start, series: 'process (RSS)', value: rss / 1e6 },
    ...(collected ? [{ at: minutes(second), start, series: 'heap after a collection', value: heapUsed / 1e6 }] : []),
  ]);
  const spec: TopLevelSpec = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    background: 'white',
    config: { legend: { labelLimit: 300 } },
    resolve: { scale: { strokeDash: 'independent' } },
    vconcat: [
      panel('Answers per second', rate, 'value'),
      panel('Milliseconds until an answer', latency, 'value'),
      panel("Memory of the service's process, MB", memory, 'value'),
    ],
  };
  return new vega.View(vega.parse(compile(spec).spec), { renderer: 'none' }).toSVG();
};
