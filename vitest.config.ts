import { defineConfig } from 'vitest/config';

/** The contract suite knows nothing but HTTP: it runs against the local service, or against CONTRACT_BASE_URL. */
const contract = 'test/contract/**/*.test.ts';

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: process.env.TEST_REPORT ? ['default', ['json', { outputFile: process.env.TEST_REPORT }]] : ['default'],
    projects: [
      {
        extends: true,
        test: {
          name: 'house',
          include: ['test/**/*.test.ts'],
          // The pages need a browser: see vitest.browser.config.ts.
          exclude: [contract, 'test/browser/**'],
          globalSetup: 'test/support/engine.ts',
          // One more than there would be: the files wait for the engine, a process of its own, half of the time.
          maxWorkers: '100%',
        },
      },
      {
        extends: true,
        test: {
          name: 'contract',
          include: [contract],
          globalSetup: 'test/contract/setup.ts',
          // All files use one store, whose lists they compare: they take turns, after all others.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
