import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import pMap from 'p-map';
import { cleanUpAll } from '../../test/support/at-end.ts';
import startInMemory from '../../test/support/engine.ts';
import { freshTable } from '../../test/support/service.ts';

/** Runs `work` with its own table in an engine in memory, and ends what it started by `atEnd`. */
export const withTable = async <T>(work: () => Promise<T>): Promise<T> => {
  const stop = await startInMemory();
  try {
    await freshTable();
    return await work();
  } finally {
    await cleanUpAll();
    await stop();
  }
};

/** How a benchmark audits books: it fails at the first fault. */
export const auditing = {
  onFault: (fault: string): never => {
    throw new Error(`The books are not true: ${fault}`);
  },
  onChecked: () => {},
};

/**
 * Measures all contestants in rounds, in which they take turns, so that other work of the machine slows them down
 * alike. Rounds that warm up do not count.
 */
export const inTurns = async <T extends object>(
  contestants: readonly T[],
  { rounds, warmUps = 1 }: { rounds: number; warmUps?: number },
  measure: (contestant: T) => number | number[] | Promise<number | number[]>,
): Promise<(T & { values: number[] })[]> => {
  const measured = contestants.map((contestant) => ({ ...contestant, values: [] as number[] }));
  for (let round = -warmUps; round < rounds; round++)
    for (const contestant of measured) {
      const value = await measure(contestant);
      if (round >= 0) contestant.values.push(...[value].flat());
    }
  return measured;
};

/** The value that `share` of them do not exceed. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits));

/**
 * Sends requests in rounds, in which contestants take turns, each with its number of requests at a time. Answers the
 * median rate, and over all requests the median and the 99th percentile in milliseconds.
 */
export const ratesOf = async <T extends { callers: number }>(
  contestants: readonly T[],
  { rounds, requests }: { rounds: number; requests: number },
  send: (contestant: T, number: number) => Promise<unknown>,
) => {
  let sent = 0;
  const turns = contestants.map((contestant) => ({ contestant, rates: [] as number[] }));
  const measured = await inTurns(turns, { rounds }, async ({ contestant, rates }) => {
    const times: number[] = [];
    const started = performance.now();
    const sendOne = async (): Promise<void> => {
      const begun = performance.now();
      await send(contestant, sent++);
      times.push(performance.now() - begun);
    };
    await pMap(Array(requests), sendOne, { concurrency: contestant.callers });
    rates.push((1000 * requests) / (performance.now() - started));
    return times;
  });
  return measured.map(({ contestant, rates, values }) => ({
    contestant,
    // The first round warmed up.
    perSecond: rounded(median(rates.slice(1)), 0),
    median: rounded(median(values)),
    p99: rounded(quantile(values, 0.99)),
  }));
};

const page = join(import.meta.dirname, '../../docs/evidence/benchmarks.md');

/** The load of the machine before the benchmarks began. */
const loadBefore = Number(process.env.BENCH_LOAD_BEFORE ?? rounded(loadavg()[0] ?? 0));

/** The name of a column as words: `callsBudget` becomes `calls budget`. */
const headOf = (key: string): string => key.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const cellOf = (value: unknown): string =>
  typeof value === 'number' && value >= 10_000 ? value.toLocaleString('en') : String(value);

/**
 * Prints a benchmark's rows, and puts them as a table between the marks with its name on docs/evidence/benchmarks.md,
 * with command, date and machine. Rows that are `counted` do not depend on the machine.
 */
export const report = (name: string, rows: object[], { counted = false } = {}): void => {
  const cores = availableParallelism();
  const machine = `Node ${process.version}, ${cores} cores (${cpus()[0]?.model.trim()})`;
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const command = `npm run bench -- ${process.argv.slice(2).join(' ')}`;
  const isBusy = !counted && loadBefore > cores / 2;
  const heads = Object.keys(rows[0] ?? {}).map(headOf);
  const cells = [heads, heads.map(() => '---'), ...rows.map((row) => Object.values(row).map(cellOf))];
  const lines = [
    `\`${command}\`: ${new Date().toISOString().slice(0, 10)}, ${machine}, ${memory}.`,
    ...(isBusy ? [`**Preliminary: other work was running** (load ${loadBefore}), so do not rely on the times.`] : []),
    '',
    ...cells.map((row) => `| ${row.join(' | ')} |`),
  ];
  const [start, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
  const [before = '', rest = ''] = readFileSync(page, 'utf8').split(start);
  writeFileSync(page, `${before}${start}${lines.join('\n')}\n${rest.slice(rest.indexOf(end))}`);
  console.table(rows);
};
