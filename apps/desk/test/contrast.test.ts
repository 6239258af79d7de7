import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const style = readFileSync(join(import.meta.dirname, '../styles/tokens.css'), 'utf8');

/** The colours of a theme by their names. */
const colours = (theme: 1 | 2): Record<string, string> =>
  Object.fromEntries(
    [...style.matchAll(/--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map((found) => [
      found[1],
      found[theme + 1],
    ]),
  );

/** The relative luminance of a colour, as WCAG defines it. */
const luminance = (colour = ''): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

const contrast = (one = '', other = ''): number => {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
};

const grounds = ['ground', 'side', 'surface', 'sunken'];

/** Each pair that meets on a page: words need 4.5, edges of controls and bars 3. */
const pairs = [
  ...grounds.flatMap((ground) => [['text', ground, 7] as const, ['muted', ground, 4.5] as const]),
  ...['ground', 'side', 'surface'].map((ground) => ['accent', ground, 4.5] as const),
  ...['accent', 'good', 'warn', 'bad'].map((state) => [state, `${state}-ground`, 4.5] as const),
  ...['good', 'warn', 'bad'].map((state) => [state, 'surface', 4.5] as const),
  ...['accent', 'good', 'warn', 'bad'].map((state) => ['text', `${state}-ground`, 7] as const),
  ['on-accent', 'accent', 4.5] as const,
  ['on-accent', 'bad', 4.5] as const,
  ...['control', 'one', 'two', 'three', 'four'].map((edge) => [edge, 'surface', 3] as const),
  ['control', 'ground', 3] as const,
];

test.each([
  ['light', 1],
  ['dark', 2],
] as const)('%s: every word and every edge stands out from its ground', (_, theme) => {
  const of = colours(theme);

  const weak = pairs
    .map(([one, other, least]) => ({ pair: `${one} on ${other}`, least, is: contrast(of[one], of[other]) }))
    .filter(({ least, is }) => is < least);

  expect(Object.keys(of)).toHaveLength(22);
  expect(weak).toEqual([]);
});
