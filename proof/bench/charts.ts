import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import type { BundleRow } from './bundles.ts';
import type { CpuRow, WholeRow } from './compare.ts';
import type { ContentionRow } from './contention.ts';
import type { CostRow } from './costs.ts';
import type { ListRow } from './lists.ts';

/** The charts of docs/evidence/benchmarks.md. Each has a background, so that it is readable on light and dark pages. */

const imagesDir = join(import.meta.dirname, '../../docs/images/bench');

/** Colours that colour-blind people can tell apart. */
const colours = ['#0072b2', '#e69f00', '#009e73', '#cc79a7'];

const look = {
  background: '#ffffff',
  padding: 12,
  config: {
    font: 'sans-serif',
    view: { stroke: '#dddddd' },
    axis: { labelLimit: 600, gridColor: '#eeeeee', labelFontSize: 11, titleFontSize: 11, titleFontWeight: 'normal' },
    title: { anchor: 'start', fontSize: 13, offset: 12 },
    header: { labelFontSize: 11, labelFontWeight: 'bold', labelAnchor: 'start', labelAlign: 'left', title: null },
    legend: { orient: 'bottom', labelFontSize: 11, titleFontSize: 11, titleFontWeight: 'normal', labelLimit: 320 },
    range: { category: colours },
  },
} as const;

const draw = async (name: string, spec: object): Promise<void> => {
  const view = new View(parse(compile({ ...look, ...spec } as TopLevelSpec).spec), { renderer: 'none' });
  mkdirSync(imagesDir, { recursive: true });
  writeFileSync(join(imagesDir, `${name}.svg`), `${await view.toSVG()}\n`);
  view.finalize();
};

export const drawCosts = (rows: readonly CostRow[]): Promise<void> => {
  const values = rows.map(({ when, endpoint, ...row }) => ({ ...row, call: when ? `${endpoint}: ${when}` : endpoint }));
  const y = { field: 'call', type: 'nominal', sort: null, title: null };
  const x = (field: string) => ({ field, type: 'quantitative', title: 'capacity units (the mark is the budget)' });
  return draw('costs', {
    title: 'Capacity units per call',
    width: 420,
    data: { values },
    layer: [
      { mark: { type: 'bar', color: colours[0], height: { band: 0.6 } }, encoding: { x: x('units'), y } },
      { mark: { type: 'tick', color: '#000000', thickness: 2 }, encoding: { x: x('unitsBudget'), y } },
    ],
  });
};

const sizeNames = ['1,000 rows', '10,000 rows', '100,000 rows'];

/** Draws a ring for each size, larger for longer lists: the rings are concentric where the length does not matter. */
export const drawLists = async (all: readonly ListRow[]): Promise<void> => {
  const named = all.map((row) => ({
    ...row,
    page: row.filter ? `${row.list}: ${row.filter}` : row.list,
    size: `${row.rows.toLocaleString('en')} rows`,
  }));
  const isSearch = ({ filter }: { filter: string }): boolean => filter === 'search (finds none)';
  const rings = (field: string, title: string, scale: object) => ({
    width: 420,
    data: { values: named.filter((row) => !isSearch(row)) },
    mark: { type: 'point', strokeWidth: 2, filled: false, opacity: 1 },
    encoding: {
      x: { field, type: 'quantitative', title, scale },
      y: { field: 'page', type: 'nominal', sort: null, title: null },
      size: { field: 'size', type: 'ordinal', sort: sizeNames, title: null, scale: { range: [15, 80, 200] } },
      color: { field: 'size', type: 'nominal', sort: sizeNames, title: null },
    },
  });
  await draw('lists-units', {
    title: 'A page of 40 in stores of three sizes: capacity',
    ...rings('units', 'capacity units', { zero: true }),
  });
  await draw('lists-time', {
    title: 'A page of 40 in stores of three sizes: time',
    ...rings('milliseconds', 'milliseconds, median, local engine', { type: 'log' }),
  });
  const axis = { scale: { type: 'log' }, type: 'quantitative' };
  await draw('search', {
    title: 'A search that finds nothing reads the text of every product',
    width: 420,
    height: 220,
    data: { values: named.filter(isSearch) },
    mark: { type: 'line', point: { size: 60, filled: true }, color: colours[0] },
    encoding: {
      x: { field: 'rows', title: 'products in the store', axis: { values: all.map(({ rows }) => rows) }, ...axis },
      y: { field: 'units', title: 'capacity units', ...axis },
    },
  });
};

const medianAndQuartiles = 'microseconds: median, and quartiles of the rounds';

const contestants = (field: string, title: string) => ({
  x: { field, type: 'quantitative', title },
  y: { field: 'contestant', type: 'nominal', sort: null, title: null },
  color: { field: 'contestant', type: 'nominal', sort: null, legend: null },
});

export const drawCpu = (rows: readonly CpuRow[]): Promise<void> =>
  draw('cpu', {
    title: 'Processor time per request, the table’s answers given at once',
    data: { values: rows.map((row) => ({ ...row, panel: `${row.operation}: ${row.includes}` })) },
    facet: { field: 'panel', type: 'nominal', sort: null },
    columns: 2,
    spec: {
      width: 250,
      layer: [
        { mark: { type: 'bar', height: { band: 0.6 } }, encoding: contestants('microseconds', medianAndQuartiles) },
        {
          mark: { type: 'rule', color: '#000000', strokeWidth: 2 },
          encoding: {
            x: { field: 'lower', type: 'quantitative' },
            x2: { field: 'upper' },
            y: { field: 'contestant', type: 'nominal', sort: null },
          },
        },
      ],
    },
  });

const grouped = (y: string, offset: string, x: string, title: string) => ({
  x: { field: x, type: 'quantitative', title },
  y: { field: y, type: 'nominal', sort: null, title: null },
  yOffset: { field: offset, sort: null },
  color: { field: offset, type: 'nominal', sort: null, title: null },
});

export const drawWhole = (rows: readonly WholeRow[]): Promise<void> =>
  draw('compare', {
    title: 'Requests against the local engine',
    width: 420,
    data: { values: rows },
    mark: 'bar',
    encoding: grouped('operation', 'contestant', 'perSecond', 'requests per second, median'),
  });

export const drawBundles = (rows: readonly BundleRow[]): Promise<void> =>
  draw('bundles', {
    title: 'Loading a bundle in a fresh process',
    width: 420,
    data: { values: rows },
    mark: 'bar',
    encoding: grouped('bundle', 'format', 'loadMilliseconds', 'milliseconds, median'),
  });

export const drawContention = (rows: readonly ContentionRow[]): Promise<void> =>
  draw('contention', {
    title: 'Writes to one customer',
    width: 420,
    data: { values: rows.map((row) => ({ ...row, at: `${row.callers} at once` })) },
    mark: 'bar',
    encoding: grouped('at', 'write', 'perSecond', 'writes per second, median, local engine'),
  });
