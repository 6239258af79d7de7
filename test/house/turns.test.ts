import { expect, test, vi } from 'vitest';

type Turns = typeof import('../support/volume.ts');

/** The functions as a run of `.ci/run` with this part has them. */
const turnsOf = (part: string): Promise<Turns> => {
  vi.stubEnv('PROOF_PART', part);
  return import(`../support/volume.ts?part=${part}`);
};
const names = Array.from({ length: 20 }, (_, index) => `file ${String(index).padStart(2, '0')}`);
const twelfths = Array.from({ length: 12 }, (_, index) => `${index + 1}/12`);

test('twelve parts are all of a proof together, and no name is in two of them', async () => {
  const parts: string[][] = [];
  for (const part of twelfths) parts.push((await turnsOf(part)).inTurn(names));

  expect(parts.flat().sort()).toEqual(names);
});

test.each([2, 3])('of %i that show much the same each part has one, and twelve parts have all', async (count) => {
  const few = names.slice(0, count);
  const parts: (readonly string[])[] = [];
  for (const part of twelfths) parts.push((await turnsOf(part)).oneInTurn(few));

  expect(parts.map(({ length }) => length)).toEqual(twelfths.map(() => 1));
  expect(new Set(parts.flat())).toEqual(new Set(few));
});

test('a proof without parts has all', async () => {
  const { inTurn, oneInTurn } = await turnsOf('1/1');

  expect(inTurn(names)).toEqual(names);
  expect(oneInTurn(names)).toEqual(names);
});

test.each(['', '0/12', '13/12', 'all'])('a part of "%s" is refused', async (part) => {
  await expect(turnsOf(part)).rejects.toThrow('PROOF_PART must be like 2/12');
});
