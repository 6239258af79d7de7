import { defineConfig } from 'vitest/config';

/** The tests that hold what `npm run mutation` mutates. The rest of the suite would only make each mutant slower. */
export default defineConfig({
  test: {
    include: ['test/credit/*.test.ts', 'test/http/*.test.ts', 'test/keys.test.ts'],
    setupFiles: 'test/support/restore.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
