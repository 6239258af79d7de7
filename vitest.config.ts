import { defineConfig, type TestUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The contract suite knows nothing but HTTP: it runs against the local service, or against CONTRACT_BASE_URL. */
const contract = 'test/contract/**/*.test.ts';

/** It judges all that its process prints: there must be no client of another file's queue that the SDK warns of. */
const alone = 'test/security/logs.test.ts';

/** The files that take longest, the longest first. */
const longest = [
  'fuzz/fuzz.test.ts',
  'simulation/simulation.test.ts',
  'load/load.proof.ts',
  'world/world.proof.ts',
  'model/credit.test.ts',
  'model/memberships.test.ts',
  'model/sales.test.ts',
  'cli/history-backfill.test.ts',
  'sale/races.test.ts',
  'events/history.test.ts',
  'cost.test.ts',
  'worst-calls.proof.ts',
  'infra/rules.proof.ts',
  'store/credit-dying-midway.test.ts',
  'store/credit-size.test.ts',
  'store/credit-races.test.ts',
  'local/service.test.ts',
  'security/mass-assignment.test.ts',
  'local/deliveries.test.ts',
  'delivery/end-to-end.test.ts',
  'infra/nag.test.ts',
  'cli/data/kill.test.ts',
  'infra/bundles.test.ts',
  'local/demo.test.ts',
  'store/credit-many-due.test.ts',
  'cli/operate.test.ts',
  'residents/strangers.test.ts',
  'functions/webhooks/webhooks.test.ts',
  'cli/resident-data.test.ts',
  'cli/target.test.ts',
  'client/repeats-and-signals.test.ts',
  'functions/sales/create-sale.test.ts',
  'functions/delivery-worker/waiting.test.ts',
  'security/scopes.test.ts',
  'infra/stack.test.ts',
  'functions/products/list-products.test.ts',
  'model/coupons.test.ts',
  'store/redeem.test.ts',
  'contract/08-credit.test.ts',
  'contract/22-time.test.ts',
];

/**
 * Begins with the longest files, so that no worker is left alone with one. A fresh clone has no record of their times.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = longest.findIndex((file) => moduleId.endsWith(`/test/${file}`));
      return place < 0 ? longest.length : place;
    };
    return (await super.sort(files)).sort((a, b) => placeOf(a) - placeOf(b));
  }
}

/** For every configuration; TEST_REPORT names a file that the results are written to as JSON. */
export const common: Pick<TestUserConfig, 'testTimeout' | 'hookTimeout' | 'reporters' | 'sequence'> = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  sequence: { sequencer: LongestFirst },
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
