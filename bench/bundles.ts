import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, bundleDir, entries } from '../infra/bundle.ts';
import { median, report, rounded } from './support.ts';

/**
 * How large the bundles are and how long they take to load, each in processes of its own, beside a bundle that holds
 * only the DynamoDB client (as it comes, and with the credentials of our bundles), and in both formats. The runs of all
 * take turns, so that a busy moment of the machine falls on all alike.
 */
export interface BundleRow {
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
    const bundles: { name: string; format: (typeof formats)[number]; file: string; times: number[] }[] = [];
    const add = (name: string, format: (typeof formats)[number], dir: string, entry = name): void => {
      const file = join(bundleDir(dir, entry), format === 'cjs' ? 'index.cjs' : 'index.mjs');
      bundles.push({ name, format, file, times: [] });
    };
    for (const format of formats) {
      const dir = join(outDir, format);
      const dirOfPlain = join(outDir, `${format}-plain`);
      await bundle(dir, entries(), { format });
      await bundle(dir, [client], { format, dir: import.meta.dirname });
      await bundle(dirOfPlain, [client], { format, dir: import.meta.dirname, allCredentials: true });
      add('the client as it comes', format, dirOfPlain, client);
      add('the client, credentials as ours', format, dir, client);
      for (const name of measured) add(name, format, dir);
    }
    for (let round = 0; round < rounds; round++) for (const { file, times } of bundles) times.push(loadMillis(file));

    const plainOf = (format: string): number =>
      median(bundles.find((one) => one.format === format && one.name === 'the client as it comes')?.times ?? []);
    report<BundleRow>(
      'bundles',
      bundles.map(({ name, format, file, times }) => ({
        bundle: name,
        format,
        kilobytes: Math.round(statSync(file).size / 1000),
        loadMilliseconds: rounded(median(times), 1),
        ofClient: rounded(median(times) / plainOf(format)),
      })),
    );
    const sizes = entries().map((entry) => statSync(join(bundleDir(join(outDir, 'cjs'), entry), 'index.cjs')).size);
    console.log(`${sizes.length} bundles, the largest ${Math.round(Math.max(...sizes) / 1000)} KB; ${rounds} rounds.`);
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
};
