/** How much of something a test takes: the first in `npm test`, the second in `npm run proof` (vitest.proof.config.ts). */
export const volume = <T>(inTest: T, inProof: T): T => (process.env.PROOF === undefined ? inTest : inProof);
