import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BundleRow } from './bundles.ts';
import * as charts from './charts.ts';
import type { CpuRow, LatencyRow } from './compare.ts';
import type { ContentionRow } from './contention.ts';
import type { CostRow } from './costs.ts';
import type { ListRow } from './lists.ts';
import { type Result, resultsDir } from './support.ts';

const docsFile = join(import.meta.dirname, '../docs/evidence/benchmarks.md');

const read = <T>(name: string): Result<T> => JSON.parse(readFileSync(join(resultsDir, `${name}.json`), 'utf8'));

const table = (heads: string[], rows: (string | number)[][]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** When and where it was measured, how to repeat it; and a warning where other work was going on. */
const origin = ({ command, date, machine }: Result<unknown>, isTimed: boolean): string => {
  const { cores, cpu, memoryGiB, node, loadBefore } = machine;
  const isBusy = isTimed && loadBefore > cores / 2;
  return [
    `\`${command}\`: ${date}, Node ${node}, ${cores} cores (${cpu}), ${memoryGiB} GiB.`,
    ...(isBusy
      ? [`**Preliminary: other work was running** (load ${loadBefore}), so the times are not to be relied on.`]
      : []),
  ].join(' ');
};

/** Puts `text` between the marks of that name in the document; all else in it is written by hand. */
const between = (document: string, name: string, text: string): string => {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [document.indexOf(start), document.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/evidence/benchmarks.md must hold ${start} and ${end}.`);
  return `${document.slice(0, from + start.length)}\n${text}\n${document.slice(to)}`;
};

const listTable = (rows: ListRow[]): string => {
  const sizes = [...new Set(rows.map((row) => row.rows))];
  const pages = [...new Set(rows.map(({ list, filter }) => `${list}\t${filter}`))];
  return table(
    ['List', 'Filter', ...sizes.flatMap((size) => [`units at ${size.toLocaleString('en')}`, 'ms'])],
    pages.map((page) => {
      const [list = '', filter = ''] = page.split('\t');
      const found = rows.filter((row) => row.list === list && row.filter === filter);
      return [list, filter, ...found.flatMap(({ units, milliseconds }) => [units, milliseconds])];
    }),
  );
};

/** Draws every chart and fills the tables of docs/evidence/benchmarks.md from bench/results. */
export const writeDocs = async (): Promise<void> => {
  const costs = read<CostRow>('costs');
  const lists = read<ListRow>('lists');
  const cpu = read<CpuRow>('cpu');
  const latency = read<LatencyRow>('latency');
  const bundles = read<BundleRow>('bundles');
  const contention = read<ContentionRow>('contention');
  await charts.drawCosts(costs.rows);
  await charts.drawLists(lists.rows);
  await charts.drawCpu(cpu.rows);
  await charts.drawLatency(latency.rows);
  await charts.drawBundles(bundles.rows);
  await charts.drawContention(contention.rows);

  const sections: [name: string, result: Result<unknown>, isTimed: boolean, text: string][] = [
    [
      'costs',
      costs,
      false,
      table(
        ['Endpoint', 'Case', 'Calls', 'Budget', 'Units', 'Budget'],
        costs.rows.map((row) => [row.endpoint, row.when, row.calls, row.callsBudget, row.units, row.unitsBudget]),
      ),
    ],
    ['lists', lists, true, listTable(lists.rows)],
    [
      'cpu',
      cpu,
      true,
      table(
        ['Operation', 'Contestant', 'Includes', 'µs per request', 'quartiles', 'of ours'],
        cpu.rows.map((row) => [
          row.operation,
          row.contestant,
          row.includes,
          row.microseconds,
          `${row.lower} - ${row.upper}`,
          row.ofOurs.toFixed(2),
        ]),
      ),
    ],
    [
      'latency',
      latency,
      true,
      table(
        ['Operation', 'Contestant', 'median ms', '95th percentile ms', 'of ours'],
        latency.rows.map((row) => [row.operation, row.contestant, row.median, row.p95, row.ofOurs.toFixed(2)]),
      ),
    ],
    [
      'bundles',
      bundles,
      true,
      table(
        ['Bundle', 'Format', 'KB', 'load ms', 'of the client'],
        bundles.rows.map((row) => [
          row.bundle,
          row.format,
          row.kilobytes,
          row.loadMilliseconds,
          row.ofClient.toFixed(2),
        ]),
      ),
    ],
    [
      'contention',
      contention,
      true,
      table(
        ['Write', 'At once', 'per second'],
        contention.rows.map((row) => [row.write, row.writers, row.perSecond]),
      ),
    ],
  ];
  const document = sections.reduce(
    (text, [name, result, isTimed, rows]) => between(text, name, `${origin(result, isTimed)}\n\n${rows}`),
    readFileSync(docsFile, 'utf8'),
  );
  writeFileSync(docsFile, document);
};
