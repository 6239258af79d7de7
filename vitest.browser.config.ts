import { defineConfig } from 'vitest/config';
import { common } from './vitest.config.ts';

/** The tests of the pages, in Chromium: `npm run test:browser`. CHROMIUM names another than /usr/bin/chromium. */
export default defineConfig({
  test: {
    ...common,
    include: ['test/browser/**/*.test.ts'],
    globalSetup: 'test/support/engine.ts',
    // Most of a test is Chromium's work: two files side by side suit two cores.
    maxWorkers: 2,
  },
});
