import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { noteRun, screenOf } from '../workload/report.ts';
import { runLoad } from './run.ts';

const help = `Runs 50 clients against a local service that is killed again and again, and says what was lost: docs/evidence/load.md.

    npm run load [-- --note]

--note adds the run to docs/evidence/load.md. LOAD_SECONDS (120) and LOAD_SEED set the length and the choices.
The engine is one of its own, since it is killed: AWS_ENDPOINT_URL_DYNAMODB is not heeded.`;

const { values } = parseArgs({
  options: { note: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
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
const figures = await runLoad({ seconds, seed, dataDir, onProgress: (text) => console.log(text) });
const { faults, ...report } = figures;
console.log(screenOf(report));
for (const fault of faults.slice(0, 20)) console.log(`FAULT ${fault}`);
console.log(`${faults.length} faults, LOAD_SECONDS=${seconds} LOAD_SEED=${seed}`);
if (values.note) {
  const { millis, statuses, kills, deliveries, memory } = report;
  const timesOf = ({ p50, p95, p99 }: typeof millis.reads): string => `${p50}, ${p95}, ${p99}`;
  noteRun('load', {
    Run: `\`LOAD_SECONDS=${seconds} LOAD_SEED=${seed}\``,
    Faults: faults.length,
    Answers: report.answers,
    'a second': report.answersPerSecond,
    'without answer': report.attemptsWithoutAnswer,
    '503': statuses['503'] ?? 0,
    Kills: kills.length,
    'Reads p50, p95, p99 ms': timesOf(millis.reads),
    'Writes p50, p95, p99 ms': timesOf(millis.writes),
    Deliveries: deliveries.acknowledged,
    'Heap MB': `${memory.early.heapUsed}, then ${memory.late.heapUsed}`,
  });
}
if (figures.faults.length === 0) rmSync(dataDir, { recursive: true });
process.exitCode = figures.faults.length > 0 ? 1 : 0;
