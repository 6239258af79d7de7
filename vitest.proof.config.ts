import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { common, house } from './vitest.config.ts';

const takesVolume = (path: string): boolean => readFileSync(path, 'utf8').includes('support/volume.ts');
const deployed = 'test/local/deployed/*.proof.ts';
const extensions = 'test/extensions/*.proof.ts';
const proof = { ...house, env: { ...house.env, PROOF: 'yes' } };

/** `npm run proof`: the tests that take their length from test/support/volume.ts, at full length, and `*.proof.ts`. */
export default defineConfig({
  test: {
    ...common,
    projects: [
      {
        extends: true,
        test: { ...proof, name: 'volume', include: globSync('{test,proof}/**/*.test.ts').filter(takesVolume) },
      },
      // The load has an engine of its own, which the clients of other tests do not know.
      {
        extends: true,
        test: {
          ...proof,
          name: 'proof',
          include: ['{test,proof}/**/*.proof.ts'],
          exclude: [deployed, extensions],
          isolate: true,
        },
      },
      // Each of them keeps both cores busy by itself, and its gateway gives up after the time that API Gateway does.
      {
        extends: true,
        test: {
          ...proof,
          name: 'deployed',
          include: [deployed],
          isolate: true,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      // They know nothing but HTTP, as the contract suite does. The one before runs them once more, against the
      // bundles.
      {
        extends: true,
        test: {
          name: 'extensions',
          include: [extensions],
          globalSetup: 'test/contract/setup.ts',
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
