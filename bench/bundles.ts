import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, bundleDir, entries } from '../infra/bundle.ts';

/**
 * Prints how large the bundles are and how long they take to load, each in processes of its own, beside a bundle that
 * holds only the DynamoDB client (as it comes, and with the credentials of our bundles), and in both formats. The runs of all take turns, so that a busy moment of the machine
 * falls on all alike.
 *
 *     node bench/bundles.ts [rounds]
 */

const rounds = Number(process.argv[2] ?? 21);
const formats = ['cjs', 'esm'] as const;
const client = 'only-client';
const measured = ['authorizer', 'categories/get-category', 'products/list-products', 'products/create-product'];

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
    const add = (name: string, dir: string, entry = name): void => {
      const file = join(bundleDir(dir, entry), format === 'cjs' ? 'index.cjs' : 'index.mjs');
      bundles.push({ name, format, file, times: [] });
    };
    const dir = join(outDir, format);
    const dirOfPlain = join(outDir, `${format}-plain`);
    await bundle(dir, entries(), { format });
    await bundle(dir, [client], { format, dir: import.meta.dirname });
    await bundle(dirOfPlain, [client], { format, dir: import.meta.dirname, allCredentials: true });
    add('the client as it comes', dirOfPlain, client);
    add('the client, credentials as ours', dir, client);
    for (const name of measured) add(name, dir);
  }
  for (let round = 0; round < rounds; round++) for (const { file, times } of bundles) times.push(loadMillis(file));

  console.table(
    bundles.map(({ name, format, file, times }) => {
      const [plain, ours] = bundles.filter((one) => one.format === format).map((one) => median(one.times));
      return {
        bundle: name,
        format,
        KB: Math.round(statSync(file).size / 1000),
        'load ms': Number(median(times).toFixed(1)),
        'x as it comes': Number((median(times) / (plain ?? 1)).toFixed(2)),
        'x as ours': Number((median(times) / (ours ?? 1)).toFixed(2)),
      };
    }),
  );
  const sizes = entries().map((entry) => statSync(join(bundleDir(join(outDir, 'cjs'), entry), 'index.cjs')).size);
  console.log(`${sizes.length} bundles, the largest ${Math.round(Math.max(...sizes) / 1000)} KB; ${rounds} rounds.`);
} finally {
  rmSync(outDir, { recursive: true, force: true });
}
