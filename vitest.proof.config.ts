import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { common, house } from './vitest.config.ts';

const takesVolume = (path: string): boolean => readFileSync(path, 'utf8').includes('support/volume.ts');

/** `npm run proof`: the tests that take their length from test/support/volume.ts, at full length, and `*.proof.ts`. */
export default defineConfig({
  test: {
    ...common,
    ...house,
    // The load has an engine of its own, which the clients of other tests do not know.
    isolate: true,
    include: ['test/**/*.proof.ts', ...globSync('test/**/*.test.ts').filter(takesVolume)],
    env: { ...house.env, PROOF: 'yes' },
  },
});
