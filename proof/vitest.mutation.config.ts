import { defineConfig } from 'vitest/config';

/** The tests of what `npm run mutation` mutates. The rest of the suite would only make each mutant slower. */
export default defineConfig({
  test: {
    include: [
      'test/lib/credit/{lots-to-read,credit-plan,plans,refusals}.test.ts',
      'test/lib/sale/bonus.test.ts',
      'test/lib/http/*.test.ts',
      'test/lib/keys.test.ts',
    ],
    setupFiles: 'test/support/restore.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
