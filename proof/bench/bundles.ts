import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, bundleDir, entries } from '../../infra/bundle.ts';
import { inTurns, median, report, rounded } from './support.ts';

const client = 'only-client';
const measured = [client, 'authorizer', 'categories/get-category', 'products/list-products', 'products/create-product'];

const loadMillis = (file: string): number => {
  const script = `const t = performance.now(); await import(${JSON.stringify(file)}); console.log(performance.now() - t)`;
  const env = { ...process.env, AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' };
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { env }).toString());
};

/**
 * The size of bundles and the time to load them, each in a process of its own, compared with a bundle of the DynamoDB
 * client alone.
 */
export const measureBundles = async ({ rounds }: { rounds: number }): Promise<void> => {
  const outDir = mkdtempSync(join(tmpdir(), 'bundles-'));
  try {
    await bundle(outDir, entries());
    await bundle(outDir, [client], import.meta.dirname);
    const bundles = measured.map((name) => ({ name, file: join(bundleDir(outDir, name), 'index.cjs') }));
    const loaded = await inTurns(bundles, { rounds, warmUps: 0 }, ({ file }) => loadMillis(file));
    const rows = loaded.map(({ name, file, values }) => ({
      bundle: name,
      kilobytes: Math.round(statSync(file).size / 1000),
      loadMilliseconds: rounded(median(values), 1),
      ofClient: rounded(median(values) / median(loaded[0]?.values ?? [])),
    }));
    report('bundles', rows);
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
};
