import { defineConfig } from 'vitest/config';

/** The tests of the pages, in Chromium: `npm run test:browser`. CHROMIUM names another than /usr/bin/chromium. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    globalSetup: 'test/support/engine.ts',
    // Most of a test is Chromium's work: two files side by side suit two cores.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: process.env.BROWSER_TEST_REPORT
      ? ['default', ['json', { outputFile: process.env.BROWSER_TEST_REPORT }]]
      : ['default'],
  },
});
