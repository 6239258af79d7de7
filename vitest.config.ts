import { defineConfig, type TestUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The contract suite knows nothing but HTTP: it runs against the local service, or against CONTRACT_BASE_URL. */
const contract = 'test/contract/**/*.test.ts';

/** It judges all that its process prints: there must be no client of another file's queue that the SDK warns of. */
const alone = 'test/security/logs.test.ts';

/**
 * Begins with the machines and the proofs, which take longest, so that no worker is left alone with one. Vitest sorts
 * the others: by the times that it remembers and, in a fresh clone, by their size.
 */
class ProofsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isProof = ({ moduleId }: TestSpecification): boolean => /\/proof\/|\.proof\.ts$/.test(moduleId);
    return (await super.sort(files)).sort((a, b) => Number(isProof(b)) - Number(isProof(a)));
  }
}

/** For every configuration; TEST_REPORT names a file that the results are written to as JSON. */
export const common: Pick<TestUserConfig, 'testTimeout' | 'hookTimeout' | 'reporters' | 'sequence'> = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  sequence: { sequencer: ProofsFirst },
  reporters: process.env.TEST_REPORT ? ['default', ['json', { outputFile: process.env.TEST_REPORT }]] : ['default'],
};

/** For the tests that call the code itself. */
export const house = {
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
          include: ['{test,proof}/**/*.test.ts'],
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
          // The files of a service use one store, whose lists they compare: they take turns. Here each worker has a
          // service.
          ...(process.env.CONTRACT_BASE_URL ? { fileParallelism: false } : { maxWorkers: 2 }),
          // A deployment's rates make a test of many calls wait.
          ...(process.env.CONTRACT_BASE_URL && { testTimeout: 600_000, hookTimeout: 600_000 }),
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
