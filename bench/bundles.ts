import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, bundleDir, entries } from '../infra/bundle.ts';

/**
 * Prints how large the bundles are and how long they take to load, each in processes of its own, beside a bundle that
 * holds only the DynamoDB client, and in both formats. The runs of all take turns, so that a busy moment of the machine
 * falls on all alike.
 *
 *     node bench/bundles.ts [rounds]
 */

const rounds = Number(process.argv[2] ?? 21);
const formats = ['cjs', 'esm'] as const;
const measured = [
  'only-client',
  'authorizer',
  'categories/get-category',
  'products/list-products',
  'products/create-product',
];

const loadMillis = (file: string): number => {
  const script = `const t = performance.now(); await import(${JSON.stringify(file)}); console.log(performance.now() - t)`;
  const env = { ...process.env, AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' };
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { env }).toString());
};

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const outDir = mkdtempSync(join(tmpdir(), 'bundles-'));
try {
  const bundles: { name: string; format: string; file: string; times: number[] }[] = [];
  for (const format of formats) {
    const dir = join(outDir, format);
    await bundle(dir, entries(), format);
    await bundle(dir, ['only-client'], format, import.meta.dirname);
    for (const name of measured)
      bundles.push({
        name,
        format,
        file: join(bundleDir(dir, name), `index.${format === 'cjs' ? 'cjs' : 'mjs'}`),
        times: [],
      });
  }
  for (let round = 0; round < rounds; round++) for (const { file, times } of bundles) times.push(loadMillis(file));

  const baseline = Object.fromEntries(
    formats.map((format) => [format, median(bundles.find((one) => one.format === format)?.times ?? [])]),
  );
  console.table(
    bundles.map(({ name, format, file, times }) => ({
      bundle: name,
      format,
      KB: Math.round(statSync(file).size / 1000),
      'load ms': Number(median(times).toFixed(1)),
      'of the client alone': Number((median(times) / (baseline[format] ?? 1)).toFixed(2)),
    })),
  );
  const sizes = entries().map((entry) => statSync(join(bundleDir(join(outDir, 'cjs'), entry), 'index.cjs')).size);
  console.log(`${sizes.length} bundles, the largest ${Math.round(Math.max(...sizes) / 1000)} KB; ${rounds} rounds.`);
} finally {
  rmSync(outDir, { recursive: true, force: true });
}
