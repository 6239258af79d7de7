import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BundleRow } from './bundles.ts';
import * as charts from './charts.ts';
import type { CodeRow, CpuRow, WholeRow } from './compare.ts';
import type { ContentionRow } from './contention.ts';
import type { CostRow } from './costs.ts';
import type { DeskRow } from './desk.ts';
import type { HistoryDelay, HistoryRun } from './history.ts';
import type { ListRow } from './lists.ts';
import type { RestoreStep } from './restore.ts';
import type { SalesRow } from './sales.ts';
import { type Result, resultsDir } from './support.ts';
import type { WebhookCost, WebhookRow } from './webhooks.ts';
import type { WorstRow } from './worst.ts';

const docsFile = join(import.meta.dirname, '../../docs/evidence/benchmarks.md');

/** Makes a Markdown table of rows. */
const table =
  <T>(heads: string[], cells: (row: T) => (string | number)[]) =>
  (rows: readonly T[]): string =>
    [heads, heads.map(() => '---'), ...rows.map(cells)].map((row) => `| ${row.join(' | ')} |`).join('\n');

/** The command, date and machine of a benchmark, with a warning where other work was running. */
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

/** Puts `text` between the marks of that name in the document. People write the rest of it. */
const between = (document: string, name: string, text: string): string => {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [document.indexOf(start), document.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/evidence/benchmarks.md must hold ${start} and ${end}.`);
  return `${document.slice(0, from + start.length)}\n${text}\n${document.slice(to)}`;
};

/** Puts the sizes of a page beside each other. */
const listTable = (rows: readonly ListRow[]): string => {
  const sizes = [...new Set(rows.map((row) => row.rows))];
  const pages = Map.groupBy(rows, ({ list, filter }) => `${list}\t${filter}`);
  return table<[string, ListRow[]]>(
    ['List', 'Filter', ...sizes.flatMap((size) => [`units at ${size.toLocaleString('en')}`, 'ms'])],
    ([page, found]) => [...page.split('\t'), ...found.flatMap(({ units, milliseconds }) => [units, milliseconds])],
  )([...pages]);
};

/** Draws every chart and fills the tables of docs/evidence/benchmarks.md from proof/bench/results. */
export const writeDocs = async (): Promise<void> => {
  let document = readFileSync(docsFile, 'utf8');
  const fill = async <T>(
    name: string,
    draw: (rows: readonly T[]) => Promise<void>,
    tableOf: (rows: readonly T[]) => string,
    isTimed = true,
  ): Promise<void> => {
    const result: Result<T> = JSON.parse(readFileSync(join(resultsDir, `${name}.json`), 'utf8'));
    await draw(result.rows);
    document = between(document, name, `${origin(result, isTimed)}\n\n${tableOf(result.rows)}`);
  };
  await fill(
    'costs',
    charts.drawCosts,
    table<CostRow>(['Endpoint', 'Case', 'Calls', 'Budget', 'Units', 'Budget'], (row) => [
      row.endpoint,
      row.when,
      row.calls,
      row.callsBudget,
      row.units,
      row.unitsBudget,
    ]),
    false,
  );
  await fill(
    'worst',
    async () => {},
    table<WorstRow>(['List', 'Dearest filter', 'Calls', 'Units', 'Budget', 'More rows add'], (row) => [
      row.endpoint,
      row.query === '' ? '' : `\`${row.query}\``,
      row.steps,
      row.units,
      row.budget,
      row.growth,
    ]),
    false,
  );
  await fill('lists', charts.drawLists, listTable);
  await fill(
    'cpu',
    charts.drawCpu,
    table<CpuRow>(['Operation', 'Contestant', 'Includes', 'µs per request', 'quartiles', 'of ours'], (row) => {
      const quartiles = `${row.lower} - ${row.upper}`;
      return [row.operation, row.contestant, row.includes, row.microseconds, quartiles, row.ofOurs.toFixed(2)];
    }),
  );
  await fill(
    'compare',
    charts.drawWhole,
    table<WholeRow>(
      ['Operation', 'Contestant', 'per second', 'median ms', '99th percentile ms', 'Calls', 'in sequence', 'Units'],
      (row) => [
        ...[row.operation, row.contestant, row.perSecond, row.median, row.p99],
        ...[row.calls, row.steps, row.units],
      ],
    ),
  );
  await fill(
    'compare-code',
    async () => {},
    table<CodeRow>(['Contestant', 'Lines of code'], ({ contestant, lines }) => [contestant, lines]),
    false,
  );
  await fill(
    'bundles',
    charts.drawBundles,
    table<BundleRow>(['Bundle', 'Format', 'KB', 'load ms', 'of the client'], (row) => [
      row.bundle,
      row.format,
      row.kilobytes,
      row.loadMilliseconds,
      row.ofClient.toFixed(2),
    ]),
  );
  await fill(
    'contention',
    charts.drawContention,
    table<ContentionRow>(
      ['Write', 'At once', 'per second', '99th percentile ms', 'decided again', '503'],
      ({ write, callers, perSecond, p99, retries, busy }) => [write, callers, perSecond, p99, retries, busy],
    ),
  );
  await fill(
    'sales',
    async () => {},
    table<SalesRow>(['Customers', 'Pairs at once', 'pairs per second'], (row) => [
      row.customers.toLocaleString('en'),
      row.buyers,
      row.perSecond,
    ]),
  );
  await fill(
    'restore',
    async () => {},
    table<RestoreStep>(['Step', 'seconds'], (row) => [row.step, row.seconds]),
  );
  await fill(
    'webhooks',
    async () => {},
    table<WebhookRow>(
      ['Receivers', 'Events', 'noted per second', 'median ms', '99th percentile ms', 'longest ms', 'Repeats'],
      (row) => [
        ...[row.receivers, row.events.toLocaleString('en'), row.notedPerSecond, row.median, row.p99],
        ...[row.longest, row.repeats],
      ],
    ),
  );
  await fill(
    'webhooks-cost',
    async () => {},
    table<WebhookCost>(['Step', 'Calls of the table', 'Units', 'Calls of the queue'], (row) => [
      row.part,
      row.tableCalls,
      row.units,
      row.queueCalls,
    ]),
    false,
  );
  await fill(
    'history',
    async () => {},
    table<HistoryRun>(['Records', 'Rows of history', 'Records taken', 'Consumers killed', 'rows per second'], (row) => [
      row.run,
      row.rows,
      row.records,
      row.kills,
      row.rowsPerSecond,
    ]),
  );
  await fill(
    'history-delay',
    async () => {},
    table<HistoryDelay>(['Changes per second', 'median ms', '99th percentile ms'], (row) => [
      row.changesPerSecond,
      row.median,
      row.p99,
    ]),
  );
  await fill(
    'desk',
    async () => {},
    table<DeskRow>(['Page', 'ms in the demo store', 'longest', 'ms in the large store', 'longest'], (row) => [
      row.page,
      ...[row.demo, row.demoLongest, row.large, row.largeLongest],
    ]),
  );
  writeFileSync(docsFile, document);
};
