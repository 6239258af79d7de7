import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { common, house } from './vitest.config.ts';

/** `npm run proof`: the tests that ask how much (test/support/volume.ts), at full length, and those that are only long. */
const takesVolume = (path: string): boolean => readFileSync(path, 'utf8').includes('support/volume.ts');

export default defineConfig({
  test: {
    ...common,
    ...house,
    include: ['test/**/*.proof.ts', ...globSync('test/**/*.test.ts').filter(takesVolume)],
    env: { PROOF: 'yes' },
  },
});
