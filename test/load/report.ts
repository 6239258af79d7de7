import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chartOf } from './chart.ts';
import { type LoadReport, runLoad } from './run.ts';

/**
 * Runs the load once, prints its figures, and writes them with a chart beside them.
 *
 *     LOAD_SECONDS=1800 node test/load/report.ts [--out docs/load]
 *     node test/load/report.ts --chart-of docs/load.json [--out docs/load]
 */

const { values } = parseArgs({
  options: { out: { type: 'string', default: 'docs/load' }, 'chart-of': { type: 'string' } },
});

const measure = async (): Promise<LoadReport> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'store-load-'));
  const seconds = Number(process.env.LOAD_SECONDS ?? 120);
  const seed = Number(process.env.LOAD_SEED ?? Date.now() % 2 ** 31);
  console.log(`${seconds} s with LOAD_SEED=${seed}; data in ${dataDir}`);
  const report = await runLoad({ seconds, seed, dataDir, onProgress: (text) => console.log(text) });
  if (report.faults.length === 0) rmSync(dataDir, { recursive: true });
  return report;
};

const earlier = values['chart-of'];
const report: LoadReport = earlier === undefined ? await measure() : JSON.parse(readFileSync(earlier, 'utf8'));
// The samples are only for the chart.
const { memorySamples: _, stretches: __, ...figures } = report;
console.log(JSON.stringify(figures, null, 2));
if (earlier === undefined) writeFileSync(`${values.out}.json`, `${JSON.stringify(report)}\n`);
writeFileSync(`${values.out}.svg`, await chartOf(report));
process.exitCode = report.faults.length > 0 ? 1 : 0;
