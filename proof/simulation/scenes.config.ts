import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { common, house } from '../../vitest.config.ts';
import { mutants, planted } from './mutants.ts';

/** For the scene of a planted bug, whose number MUTANT has: its file is loaded with the bug. */

const mutant = mutants[Number(process.env.MUTANT)];

export default defineConfig({
  // A file with a bug must not be kept for the next run, nor one without.
  test: { ...common, ...house, fsModuleCache: false },
  plugins: [
    {
      name: 'planted-bug',
      enforce: 'pre',
      load: (path) => (mutant && path.endsWith(`/${mutant.file}`) ? planted(mutant, readFileSync(path, 'utf8')) : null),
    },
  ],
});
