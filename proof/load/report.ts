import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chartOf } from './chart.ts';
import { runLoad } from './run.ts';

const help = `Runs 50 clients against a local service that is killed again and again, and says what was lost: docs/evidence/load.md.

    npm run load [-- --out docs/evidence/load]

Writes the figures to <out>.json and a chart to <out>.svg. LOAD_SECONDS (120) and LOAD_SEED set the length and the choices.
The engine is one of its own, since it is killed: AWS_ENDPOINT_URL_DYNAMODB is not heeded.`;

const { values } = parseArgs({
  options: { out: { type: 'string', default: 'docs/evidence/load' }, help: { type: 'boolean', default: false } },
});
if (values.help) {
  console.log(help);
  process.exit();
}

const seconds = Number(process.env.LOAD_SECONDS ?? 120);
const seed = Number(process.env.LOAD_SEED ?? Date.now() % 2 ** 31);
if (!(seconds >= 60 && seconds <= 7200) || !Number.isInteger(seed)) {
  console.error('error: LOAD_SECONDS must be a number from 60 to 7200, LOAD_SEED a whole number.');
  process.exit(2);
}
const dataDir = mkdtempSync(join(tmpdir(), 'store-load-'));
console.log(`${seconds} s with LOAD_SEED=${seed}; data in ${dataDir}`);
const report = await runLoad({ seconds, seed, dataDir, onProgress: (text) => console.log(text) });
writeFileSync(`${values.out}.svg`, await chartOf(report));
// The series are for the chart alone.
const { memorySamples: _, stretches: __, ...figures } = report;
const text = JSON.stringify(figures, null, 2);
writeFileSync(`${values.out}.json`, `${text}\n`);
console.log(text);
if (figures.faults.length === 0) rmSync(dataDir, { recursive: true });
process.exitCode = figures.faults.length > 0 ? 1 : 0;
