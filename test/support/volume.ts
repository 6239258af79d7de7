/**
 * Chooses the size of a test: `inTest` in `npm test`, `inProof` in `npm run proof` (vitest.proof.config.ts). The proof
 * shows all that `inTest` shows, and more.
 */
export const volume = <T>(inTest: T, inProof: T): T => (process.env.PROOF === undefined ? inTest : inProof);
