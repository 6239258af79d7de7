import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type TestUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// The workers, and the services and commands that tests start, need not compile the same code again.
process.env.NODE_COMPILE_CACHE ??= new URL('node_modules/.cache/tests', import.meta.url).pathname;

// All that tests, and what they start, leave in the temporary folder goes with the run: the CDK never deletes.
process.env.TMPDIR = mkdtempSync(join(tmpdir(), 'sis-tests-'));
process.on('exit', () => rmSync(process.env.TMPDIR as string, { recursive: true, force: true }));

/** The contract suite knows nothing but requests and answers. */
export const contract = 'test/contract/**/*.test.ts';

/** It moves the clock, which all services of a process share. */
const moving = 'test/contract/22-time.test.ts';

/** It judges all that its process prints: there must be no client of another file's queue that the SDK warns of. */
const alone = 'test/security/logs.test.ts';

/** Each house beside the service has its tests within. */
const everyTest = '{test,apps,deploy,docs,proof}/**/*.test.ts';

const filesWith = (pattern: RegExp): string[] =>
  globSync(everyTest).filter((path) => pattern.test(readFileSync(path, 'utf8')));

/**
 * These load the CDK and synthesise the template, which took a sixth of the time of `npm test`. `.ci/run` and `npm run
 * check` run them.
 */
const ofStack = filesWith(/support\/(?:stack|idle-cost)\.ts'|'aws-cdk-lib/);

/** These use no table. They have none, so a call of one fails, and `npm run proof` need not run them once more. */
const withoutTable = globSync([
  '{deploy,apps/desk,apps/page}/test/*.test.ts',
  'test/house/*.test.ts',
  'test/infra/!(delivery-alarms|role).test.ts',
  'apps/client/test/{faults,methods,webhook}.test.ts',
  'docs/test/{commands,contract-coverage,links,variables,words}.test.ts',
  'apps/inworld/test/!(cashier|many-vendors|terminal|terminal-page|two-regions|vendor).test.ts',
  'test/local/deployed/{conflicts,document,preflight,roles,store-limit}.test.ts',
  'test/local/{gateway,grid}/*.test.ts',
  'test/local/start/{browser,failures,options,state}.test.ts',
  'apps/reference/test/!(examples).test.ts',
  'test/security/{regular-expressions,supply-chain}.test.ts',
  'proof/{load,simulation,workload,world}/*.test.ts',
]).filter((path) => !ofStack.includes(path));

/** These need the engine itself, or put a client of their own in the place of the table's. */
const onEngine = [
  'test/lib/table/*.test.ts',
  'test/functions/authorizer.test.ts',
  // They start another process, ask for tables and their settings, or count calls beside a consumer of the stream.
  'apps/cli/test/books/{credit-repair,history-audit}.test.ts',
  'apps/cli/test/commands/{restore-check,stores}.test.ts',
  'apps/cli/test/data/commands.test.ts',
  'apps/cli/test/deployment/{hourly-copy,target}.test.ts',
];

/** These too need only what a table promises. */
const onAnyTable = [
  'apps/cli/test/**/*.test.ts',
  'apps/{client,inworld,reference}/test/*.test.ts',
  'apps/desk/test/import/same-plan.test.ts',
  'docs/test/*.test.ts',
  'test/security/{injection,keys,mass-assignment,scopes,stores}.test.ts',
];

/**
 * The other tests in these folders need only what a table promises. They run on tables in memory, which takes a third
 * of the processor time. `npm run proof` runs them on the real engine. test/lib/table/same-answers.test.ts compares the
 * two.
 */
export const inMemory = globSync(
  ['test/{cost,functions,lib}/**/*.test.ts', 'proof/{fuzz,model}/*.test.ts', moving, ...onAnyTable],
  {
    exclude: [...onEngine, ...ofStack, ...withoutTable],
  },
);

/** The files that take their length from test/support/volume.ts. `npm run proof` runs all of them at full length. */
export const ofProof = filesWith(/support\/volume\.ts/);

/**
 * Begins with the machines, the proofs and the random tests, which take longest, so that no worker is left alone with
 * one. Ends with tests whose services sleep until then. Vitest sorts the others by the times that it remembers or, in a
 * fresh clone, by their size.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      if (['contract', 'extensions'].includes(project.name)) return 2;
      const isLong = /\/proof\/|\.proof\.ts$/.test(moduleId) || ofProof.some((path) => moduleId.endsWith(path));
      return isLong ? 0 : 1;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/** For every configuration; TEST_REPORT names a file that the results are written to as JSON. */
export const common: Pick<
  TestUserConfig,
  'testTimeout' | 'hookTimeout' | 'expect' | 'reporters' | 'sequence' | 'onConsoleLog' | 'chaiConfig' | 'experimental'
> = {
  // Node loads the code as it does for the service, in place of Vite.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  // They end what hangs. A busy machine may need ten times as long as a quiet one for what does not hang.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
  // The message of a test that failed names the faults that were found, in place of `Array(1)`.
  chaiConfig: { truncateThreshold: 1000 },
  sequence: { sequencer: LongestFirst },
  // The files of a worker share the SDK's client, which warns at each call that it began with another file's queue.
  onConsoleLog: (text) => !text.includes('differs from SQSClient resolved endpoint'),
  reporters: process.env.TEST_REPORT ? ['default', ['json', { outputFile: process.env.TEST_REPORT }]] : ['default'],
};

/** For the tests that call the code itself. */
export const house = {
  // The files of a worker share its process. Otherwise half of the time would go into loading the SDK again for each of
  // them.
  isolate: false,
  setupFiles: 'test/support/restore.ts',
  // Two cores wait now and then, for the engine, for commands and for pauses of the service. Each worker more loads all
  // code once more.
  maxWorkers: 3,
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
          include: [everyTest],
          // The pages need a browser: see apps/desk/test/vitest.config.ts.
          exclude: [contract, alone, 'apps/{desk,page}/test/browser/**', ...ofStack, ...inMemory, ...withoutTable],
        },
      },
      {
        extends: true,
        test: { ...house, name: 'plain', include: withoutTable, env: { TEST_TABLES: 'none' } },
      },
      {
        extends: true,
        test: {
          ...house,
          name: 'memory',
          include: inMemory,
          env: { TEST_TABLES: 'memory' },
        },
      },
      { extends: true, test: { ...house, name: 'alone', include: [alone], isolate: true } },
      // Each worker loads the CDK and makes the stack anew: no more than two.
      {
        extends: true,
        test: { ...house, name: 'stack', include: ofStack, maxWorkers: 2, sequence: { groupOrder: 1 } },
      },
      // Each worker has a service in its process, whose store its files share. The proof runs them over HTTP.
      {
        extends: true,
        test: {
          name: 'contract',
          include: [contract],
          exclude: [moving],
          isolate: false,
          env: { TEST_TABLES: 'memory' },
          maxWorkers: house.maxWorkers,
        },
      },
    ],
  },
});
