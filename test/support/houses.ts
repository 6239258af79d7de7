import { globSync } from 'node:fs';
import { join } from 'node:path';

/** The houses by their folders, from the ground up: code imports from its own house and from those before it. */
export const houses = [
  ...(['lib', 'functions', 'infra', 'local'] as const),
  ...(['apps/shared', 'apps/client', 'apps/reference', 'apps/inworld', 'apps/cli', 'apps/desk', 'apps/page'] as const),
  ...(['deploy', 'docs', 'test', 'proof'] as const),
];

export type House = (typeof houses)[number];

/** The service and its tests, which import nothing of the other houses. */
export const service: readonly House[] = ['lib', 'functions', 'infra', 'local', 'test'];

/** The houses that have code: in the other two each file is a test, or shared by tests. */
export const coded = houses.filter((house) => house !== 'docs' && house !== 'test');

/** The houses that have tests: test/ tests the service, and command and desk test the rules that they share. */
export const tested = houses.filter(
  (house) => house === 'test' || !(service.includes(house) || house === 'apps/shared'),
);

const root = join(import.meta.dirname, '../..');

/** The house of a file, by its path from the root; empty for a file beside the houses. */
export const houseOf = (file: string): House | '' => houses.find((house) => file.startsWith(`${house}/`)) ?? '';

/** Files that tests and machines begin with, and the folders of tests with all that these share. */
const isOfTests = (file: string): boolean => /(?:^|\/)test\/|\.test\.tsx?$/.test(file);

/**
 * The paths, from the root, of the TypeScript files of some houses. Throws where a house has none, since a check that
 * reads no file finds no fault.
 */
const filesOf = (some: readonly House[], isMeant: (file: string) => boolean): string[] =>
  some.flatMap((house) => {
    const files = globSync(`${house}/**/*.{ts,tsx}`, { cwd: root, exclude: ['**/node_modules/**'] }).filter(
      (file) => isMeant(file) && !file.endsWith('.d.ts'),
    );
    if (files.length === 0) throw new Error(`No file was found in ${house}/.`);
    return files.sort();
  });

/** The code of some houses, without their tests. */
export const codeOf = (...some: readonly House[]): string[] => filesOf(some, (file) => !isOfTests(file));

/** The tests of some houses, with what these share. */
export const testsOf = (...some: readonly House[]): string[] => filesOf(some, isOfTests);

/** The files of all houses that a run of tests or proofs begins with. */
export const testFiles = (): string[] =>
  [...testsOf(...tested), ...codeOf('proof')].filter((file) => /\.(?:test|proof)\.ts$/.test(file));

/** How many files of each house a check reads, for its name: `lib 145, apps/cli 150`. */
export const countsOf = (files: readonly string[]): string => {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(houseOf(file), (counts.get(houseOf(file)) ?? 0) + 1);
  return [...counts].map(([house, count]) => `${house} ${count}`).join(', ');
};
