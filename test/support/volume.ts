/** Chooses the size of a test: `inTest` in `npm test`, `inProof` in `npm run proof` (vitest.proof.config.ts). */
export const volume = <T>(inTest: T, inProof: T): T => (process.env.PROOF === undefined ? inTest : inProof);
