import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, bundleDir, entries } from '../../infra/bundle.ts';
import { inTurns, median, report, rounded } from './support.ts';

/**
 * The size of bundles and the time to load them, each in a process of its own and in both formats, beside a bundle that
 * holds only the DynamoDB client (as it comes, and with the credentials of our bundles).
 */
interface BundleRow {
  bundle: string;
  format: 'cjs' | 'esm';
  kilobytes: number;
  loadMilliseconds: number;
  /** Load time as a multiple of the client's alone, as it comes. */
  ofClient: number;
}

const formats = ['cjs', 'esm'] as const;
const client = 'only-client';
const measured = ['authorizer', 'categories/get-category', 'products/list-products', 'products/create-product'];

const loadMillis = (file: string): number => {
  const script = `const t = performance.now(); await import(${JSON.stringify(file)}); console.log(performance.now() - t)`;
  const env = { ...process.env, AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' };
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { env }).toString());
};

export const measureBundles = async ({ rounds }: { rounds: number }): Promise<void> => {
  const outDir = mkdtempSync(join(tmpdir(), 'bundles-'));
  try {
    const bundles: { name: string; format: (typeof formats)[number]; file: string }[] = [];
    for (const format of formats) {
      const dir = join(outDir, format);
      const plainDir = join(outDir, `${format}-plain`);
      await bundle(dir, entries(), { format });
      await bundle(dir, [client], { format, dir: import.meta.dirname });
      await bundle(plainDir, [client], { format, dir: import.meta.dirname, allCredentials: true });
      const fileOf = (entry: string, from = dir): string =>
        join(bundleDir(from, entry), format === 'cjs' ? 'index.cjs' : 'index.mjs');
      bundles.push(
        { name: 'the client as it comes', format, file: fileOf(client, plainDir) },
        { name: 'the client, credentials as ours', format, file: fileOf(client) },
        ...measured.map((name) => ({ name, format, file: fileOf(name) })),
      );
    }
    const loaded = await inTurns(bundles, { rounds, warmUps: 0 }, ({ file }) => loadMillis(file));
    const plainOf = (format: string): number =>
      median(loaded.find((one) => one.format === format && one.name === 'the client as it comes')?.values ?? []);
    report<BundleRow>(
      'bundles',
      loaded.map(({ name, format, file, values }) => ({
        bundle: name,
        format,
        kilobytes: Math.round(statSync(file).size / 1000),
        loadMilliseconds: rounded(median(values), 1),
        ofClient: rounded(median(values) / plainOf(format)),
      })),
    );
    const sizes = entries().map((entry) => statSync(join(bundleDir(join(outDir, 'cjs'), entry), 'index.cjs')).size);
    console.log(`${sizes.length} bundles, the largest ${Math.round(Math.max(...sizes) / 1000)} KB; ${rounds} rounds.`);
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
};
