import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { inTurn, oneInTurn } from '../test/support/volume.ts';
import { common, contract, house, inMemory, ofProof } from '../vitest.config.ts';

/** The template as it is shipped, with all settings on, and as launch.yaml deploys it. */
const deployed = globSync(['test/local/deployed/{deployed,everything-on}.proof.ts', 'deploy/test/launch.proof.ts']);
const extensions = 'test/extensions/*.proof.ts';
// How long a proof takes on a busy machine says nothing about what it proves.
const limits = { testTimeout: 900_000, hookTimeout: 900_000 };
const proof = { ...house, ...limits, env: { PROOF: 'yes' } };

/** Their clients compete, which shows best if each call takes its time. */
const racing = globSync([
  'test/lib/{credit,sale}/races.test.ts',
  'test/lib/credit/{isolated-load,random-faults,redeem}.test.ts',
  'test/lib/delivery/end-to-end.test.ts',
  'test/lib/table/if-match.test.ts',
]);

/**
 * Each time, random tests play a part of their trials. Other long tests take turns: `npm test` runs them too, but
 * shorter.
 */
const isRandom = (path: string): boolean => readFileSync(path, 'utf8').includes('trials(');
const long = [...ofProof.filter(isRandom), ...inTurn(ofProof.filter((path) => !isRandom(path)))];

/** Most of their time at full length is the engine's work, which shows nothing more. So they have tables in memory. */
const longInMemory = long.filter((path) => inMemory.includes(path) && !racing.includes(path));

/**
 * They test programs that call the service, and these see only the answers. The contract suite tests the answers over
 * HTTP, on the engine.
 */
const ofCallers = globSync(['apps/client/test/*.test.ts', 'docs/test/webhook-receivers.test.ts', contract]);

/** `npm test` runs them on tables in memory, also the long ones at this length. */
const onEngineToo = inMemory.filter((path) => !ofCallers.includes(path) && !racing.includes(path));

const slow = globSync('{test,apps,deploy,docs}/**/*.proof.ts', { exclude: [...deployed, extensions] });

/**
 * `npm run proof`: tests that take their length from test/support/volume.ts, at full length; tests that otherwise run
 * on tables in memory, on the real engine; and `*.proof.ts`.
 */
export default defineConfig({
  test: {
    ...common,
    projects: [
      {
        extends: true,
        test: { ...proof, name: 'volume', include: long, exclude: longInMemory },
      },
      {
        extends: true,
        test: {
          ...proof,
          name: 'memory',
          include: longInMemory,
          env: { ...proof.env, TEST_TABLES: 'memory' },
        },
      },
      {
        extends: true,
        test: {
          ...house,
          ...limits,
          name: 'engine',
          include: inTurn(onEngineToo),
        },
      },
      // The machines, and the files that start processes. The load test has its own engine, which the clients of other
      // tests do not know.
      {
        extends: true,
        test: {
          ...proof,
          name: 'proof',
          include: ['proof/**/*.proof.ts', ...inTurn(slow)],
          isolate: true,
        },
      },
      // Each has the processes of a whole deployment, and its gateway gives up after the same time as API Gateway. So
      // they run one at a time, and in .ci/run beside nothing but the linters.
      {
        extends: true,
        test: {
          ...proof,
          name: 'deployed',
          include: [...oneInTurn(deployed)],
          env: { ...proof.env, TEST_TABLES: 'folder' },
          isolate: true,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      // The contract suite over HTTP: against the local service, or against CONTRACT_BASE_URL.
      {
        extends: true,
        test: {
          name: 'contract',
          include: [contract],
          globalSetup: 'test/contract/setup.ts',
          isolate: false,
          // The files of a service use one store and compare its lists, so they take turns. Here each worker has a
          // service.
          ...(process.env.CONTRACT_BASE_URL ? { fileParallelism: false } : { maxWorkers: house.maxWorkers }),
          // A deployment's rates make a test with many calls wait.
          ...(process.env.CONTRACT_BASE_URL && { testTimeout: 600_000, hookTimeout: 600_000 }),
        },
      },
      // They know only HTTP, like the contract suite. `deployed` runs both once more, against the bundles.
      {
        extends: true,
        test: {
          name: 'extensions',
          include: [extensions],
          globalSetup: 'test/contract/setup.ts',
          maxWorkers: house.maxWorkers,
        },
      },
    ],
  },
});
