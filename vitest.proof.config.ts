import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { common, house } from './vitest.config.ts';

const takesVolume = (path: string): boolean => readFileSync(path, 'utf8').includes('support/volume.ts');
const proof = { ...house, env: { ...house.env, PROOF: 'yes' } };

/** `npm run proof`: the tests that take their length from test/support/volume.ts, at full length, and `*.proof.ts`. */
export default defineConfig({
  test: {
    ...common,
    projects: [
      { extends: true, test: { ...proof, name: 'volume', include: globSync('test/**/*.test.ts').filter(takesVolume) } },
      // The load has an engine of its own, which the clients of other tests do not know.
      { extends: true, test: { ...proof, name: 'proof', include: ['test/**/*.proof.ts'], isolate: true } },
    ],
  },
});
