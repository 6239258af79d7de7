import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Result, resultsDir } from './support.ts';

const docsFile = join(import.meta.dirname, '../../docs/evidence/benchmarks.md');

/** The name of a column as words: `callsBudget` becomes `calls budget`. */
const headOf = (key: string): string => key.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const cellOf = (value: unknown): string =>
  typeof value === 'number' && value >= 10_000 ? value.toLocaleString('en') : String(value);

/** Those whose figures do not depend on the machine. */
const counted = ['costs', 'worst', 'compare-code', 'webhooks-cost'];

/** The rows of a benchmark as a Markdown table, below its command, date and machine. */
const tableOf = (name: string, { command, date, machine, rows }: Result<object>): string => {
  const { cores, cpu, memoryGiB, node, loadBefore } = machine;
  const heads = Object.keys(rows[0] ?? {}).map(headOf);
  const lines = [heads, heads.map(() => '---'), ...rows.map((row) => Object.values(row).map(cellOf))];
  const isBusy = !counted.includes(name) && loadBefore > cores / 2;
  return [
    `\`${command}\`: ${date}, Node ${node}, ${cores} cores (${cpu}), ${memoryGiB} GiB.`,
    ...(isBusy ? [`**Preliminary: other work was running** (load ${loadBefore}), so do not rely on the times.`] : []),
    '',
    ...lines.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n');
};

/** Fills each pair of marks of docs/evidence/benchmarks.md from the file of its name in proof/bench/results. */
export const writeDocs = (): void => {
  const filled = readFileSync(docsFile, 'utf8').replace(
    /<!-- ([\w-]+) -->\n.*?<!-- \/\1 -->/gs,
    (kept, name: string) => {
      const file = join(resultsDir, `${name}.json`);
      if (!existsSync(file)) return kept;
      return `<!-- ${name} -->\n${tableOf(name, JSON.parse(readFileSync(file, 'utf8')))}\n<!-- /${name} -->`;
    },
  );
  writeFileSync(docsFile, filled);
};
