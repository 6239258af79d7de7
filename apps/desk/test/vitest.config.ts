import { globSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { inTurn } from '../../../test/support/volume.ts';
import { common, house } from '../../../vitest.config.ts';

/** These start a service as a process, or ask the engine itself. */
const onEngine = ['apps/desk/test/browser/{cors,engines,restart}.test.ts'];

/** The pages for developers, and pages of other origins, take turns in .ci/run. */
const ofDevelopers = globSync('apps/desk/test/browser/{console,cors,engines,reference,restart}.test.ts');
const due = inTurn(ofDevelopers);
const later = ofDevelopers.filter((path) => !due.includes(path));

// Most of a test is Chromium's work, so two files side by side suit two cores.
const sideBySide = { maxWorkers: 2 };

/** The tests of the pages, in Chromium: `npm run test:browser`. The service of a file has its tables in memory. */
export default defineConfig({
  test: {
    ...common,
    projects: [
      {
        extends: true,
        test: {
          ...house,
          ...sideBySide,
          name: 'pages',
          include: ['apps/{desk,page}/test/browser/**/*.test.ts'],
          exclude: [...onEngine, ...later],
          env: { TEST_TABLES: 'memory' },
        },
      },
      {
        extends: true,
        test: {
          ...sideBySide,
          name: 'engine',
          include: onEngine,
          exclude: later,
          globalSetup: 'test/support/engine.ts',
        },
      },
    ],
  },
});
