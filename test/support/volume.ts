const [part = 0, parts = 0] = (process.env.PROOF_PART ?? '1/1').split('/').map(Number);
// Otherwise no file would have its turn, and nobody would notice.
if (!Number.isInteger(part) || !Number.isInteger(parts) || part < 1 || part > parts)
  throw new Error('PROOF_PART must be like 2/12: the second of twelve parts.');

/** The names whose turn it is: with PROOF_PART=2/12 the second twelfth, which `.ci/run` chooses. */
export const inTurn = (names: string[]): string[] => names.toSorted().filter((_, index) => index % parts === part - 1);

/** The one whose turn it is, among a few that show nearly the same. Without PROOF_PART, all of them. */
export const oneInTurn = <T>(few: readonly T[]): readonly T[] =>
  parts === 1 ? few : few.filter((_, index) => index === (part - 1) % few.length);

/**
 * Chooses the size of a test: `inTest` in `npm test`, `inProof` in `npm run proof` (proof/vitest.config.ts). The proof
 * shows everything that `inTest` shows, and more.
 */
export const volume = <T>(inTest: T, inProof: T): T => (process.env.PROOF === undefined ? inTest : inProof);

/** The same for a number of random trials, or of seconds of them: a part of the proof plays its share. */
export const trials = (inTest: number, inProof: number): number =>
  Math.max(inTest, Math.ceil(volume(inTest, inProof) / parts));
