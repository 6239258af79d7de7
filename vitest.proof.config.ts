import { globSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { common, contract, house, inMemory, ofProof } from './vitest.config.ts';

const deployed = 'test/local/deployed/{deployed,everything-on,launch}.proof.ts';
const extensions = 'test/extensions/*.proof.ts';
// How long a proof takes on a busy machine says nothing of what it proves.
const limits = { testTimeout: 900_000, hookTimeout: 900_000 };
const proof = { ...house, ...limits, env: { ...house.env, PROOF: 'yes' } };

/** Their clients compete, which shows most where each call takes its time. */
const racing = globSync([
  'test/lib/{credit,sale}/races.test.ts',
  'test/lib/credit/{isolated-load,random-faults,redeem}.test.ts',
  'test/lib/delivery/end-to-end.test.ts',
  'test/lib/store/if-match.test.ts',
]);

/** Most of their time at full length is the engine's work, which shows nothing more: they have tables in memory. */
const longInMemory = ofProof.filter((path) => inMemory.includes(path) && !racing.includes(path));

/**
 * They judge programs that call the service, which see nothing of a table but the answers. The suite of the contract
 * judges those, over HTTP, and on the engine.
 */
const ofCallers = ['test/client/*.test.ts', 'test/docs/webhook-receivers.test.ts'];

/**
 * `npm run proof`: the tests that take their length from test/support/volume.ts, at full length; those that otherwise
 * run on tables in memory, on the real engine; and `*.proof.ts`.
 */
export default defineConfig({
  test: {
    ...common,
    projects: [
      {
        extends: true,
        test: { ...proof, name: 'volume', include: ofProof, exclude: longInMemory },
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
      // `npm test` runs them on tables in memory, the long ones too at this length.
      {
        extends: true,
        test: {
          ...house,
          ...limits,
          name: 'engine',
          include: inMemory,
          exclude: [...ofProof.filter((path) => !longInMemory.includes(path)), contract, ...ofCallers],
        },
      },
      // The load has an engine of its own, which the clients of other tests do not know.
      {
        extends: true,
        test: {
          ...proof,
          name: 'proof',
          include: ['{test,proof}/**/*.proof.ts'],
          exclude: [deployed, extensions],
          isolate: true,
        },
      },
      // Each of them has the processes of a whole deployment, and its gateway gives up after the time that API Gateway
      // does: one at a time, which .ci/run has beside the others.
      {
        extends: true,
        test: {
          ...proof,
          name: 'deployed',
          include: [deployed],
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
          // The files of a service use one store, whose lists they compare: they take turns. Here each worker has a
          // service.
          ...(process.env.CONTRACT_BASE_URL ? { fileParallelism: false } : { maxWorkers: 2 }),
          // A deployment's rates make a test of many calls wait.
          ...(process.env.CONTRACT_BASE_URL && { testTimeout: 600_000, hookTimeout: 600_000 }),
          sequence: { groupOrder: 2 },
        },
      },
      // They know nothing but HTTP, as the contract suite does. The one before runs them once more, against the
      // bundles.
      {
        extends: true,
        test: {
          name: 'extensions',
          include: [extensions],
          globalSetup: 'test/contract/setup.ts',
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
