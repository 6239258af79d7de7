import { defineConfig, type TestUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The contract suite knows nothing but HTTP: it runs against the local service, or against CONTRACT_BASE_URL. */
const contract = 'test/contract/**/*.test.ts';

/** It judges all that its process prints: there must be no client of another file's queue that the SDK warns of. */
const alone = 'test/security/logs.test.ts';

/** The files that take longest, the longest first. */
const longest = [
  'proof/fuzz/fuzz.test.ts',
  'proof/simulation/simulation.test.ts',
  'proof/load/load.proof.ts',
  'proof/world/world.proof.ts',
  'proof/model/credit.test.ts',
  'proof/model/memberships.test.ts',
  'proof/model/sales.test.ts',
  'test/cli/books/history-backfill.test.ts',
  'test/lib/sale/races.test.ts',
  'test/lib/events/history.test.ts',
  'test/cost/cost.test.ts',
  'test/cost/worst-calls.proof.ts',
  'test/infra/rules.proof.ts',
  'test/lib/credit/dying-midway.test.ts',
  'test/lib/credit/size.test.ts',
  'test/lib/credit/races.test.ts',
  'test/local/start/service.test.ts',
  'test/security/mass-assignment.test.ts',
  'test/local/start/deliveries.test.ts',
  'test/lib/delivery/end-to-end.test.ts',
  'test/infra/nag.test.ts',
  'test/cli/data/kill.test.ts',
  'test/infra/bundles.test.ts',
  'test/local/demo/demo.test.ts',
  'test/lib/credit/many-due.test.ts',
  'test/cli/commands/operate.test.ts',
  'test/lib/store/strangers.test.ts',
  'test/functions/webhooks/webhooks.test.ts',
  'test/cli/person/resident-data.test.ts',
  'test/cli/deployment/target.test.ts',
  'test/client/repeats-and-signals.test.ts',
  'test/functions/sales/create-sale.test.ts',
  'test/functions/delivery-worker/waiting.test.ts',
  'test/security/scopes.test.ts',
  'test/infra/stack.test.ts',
  'test/functions/products/list-products.test.ts',
  'proof/model/coupons.test.ts',
  'test/lib/credit/redeem.test.ts',
  'test/contract/08-credit.test.ts',
  'test/contract/22-time.test.ts',
];

/**
 * Begins with the longest files, so that no worker is left alone with one. A fresh clone has no record of their times.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = longest.findIndex((file) => moduleId.endsWith(`/${file}`));
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
