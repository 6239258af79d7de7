import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLoad } from './run.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'store-load-'));
const seconds = Number(process.env.LOAD_SECONDS ?? 120);
const seed = Number(process.env.LOAD_SEED ?? Date.now() % 2 ** 31);
console.log(`${seconds} s with LOAD_SEED=${seed} in ${dataDir}`);
const report = await runLoad({ seconds, seed, dataDir, onProgress: (text) => console.log(text) });
writeFileSync(process.argv[2] ?? 'load.json', JSON.stringify(report, null, 2));
const { memorySamples: _, stretches: __, ...figures } = report;
console.log(JSON.stringify(figures, null, 2));
rmSync(dataDir, { recursive: true });
