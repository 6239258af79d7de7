import { defineConfig, type TestUserConfig } from 'vitest/config';

/** The contract suite knows nothing but HTTP: it runs against the local service, or against CONTRACT_BASE_URL. */
const contract = 'test/contract/**/*.test.ts';

/** It judges all that its process prints: there must be no client of another file's queue that the SDK warns of. */
const alone = 'test/security/logs.test.ts';

/** For every configuration; TEST_REPORT names a file that the results are written to as JSON. */
export const common: Pick<TestUserConfig, 'testTimeout' | 'hookTimeout' | 'reporters'> = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  reporters: process.env.TEST_REPORT ? ['default', ['json', { outputFile: process.env.TEST_REPORT }]] : ['default'],
};

/** For the tests that call the code itself. */
export const house = {
  globalSetup: 'test/support/engine.ts',
  // The files of a worker share its process: half of the time would go into loading the SDK anew for each of them.
  isolate: false,
  setupFiles: 'test/support/restore.ts',
  // For the services and commands that tests start: Node need not compile them again each time.
  env: { NODE_COMPILE_CACHE: new URL('node_modules/.cache/tests', import.meta.url).pathname },
  // Two for each core: the files wait half of the time, for the engine, for commands and for pauses of the service.
  maxWorkers: 4,
};

export default defineConfig({
  test: {
    ...common,
    projects: [
      {
        extends: true,
        test: {
          ...house,
          name: 'house',
          include: ['test/**/*.test.ts'],
          // The pages need a browser: see vitest.browser.config.ts.
          exclude: [contract, alone, 'test/browser/**'],
        },
      },
      { extends: true, test: { ...house, name: 'alone', include: [alone], isolate: true } },
      {
        extends: true,
        test: {
          name: 'contract',
          include: [contract],
          globalSetup: 'test/contract/setup.ts',
          isolate: false,
          // All files use one store, whose lists they compare: they take turns, after all others.
          fileParallelism: false,
          // A deployment's rates make a test of many calls wait.
          ...(process.env.CONTRACT_BASE_URL && { testTimeout: 600_000, hookTimeout: 600_000 }),
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
