import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // These need a browser: see vitest.browser.config.ts.
    exclude: ['test/browser/**'],
    globalSetup: 'test/support/engine.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: process.env.TEST_REPORT ? ['default', ['json', { outputFile: process.env.TEST_REPORT }]] : ['default'],
  },
});
