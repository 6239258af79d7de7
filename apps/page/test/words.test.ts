import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { de } from '../words/de.ts';
import { en } from '../words/en.ts';

const page = join(import.meta.dirname, '..');

/** Each word by its place, such as `door.open`: a function with as many marked figures and names as it takes. */
const wordsOf = (words: object, place = ''): [place: string, text: string][] =>
  Object.entries(words).flatMap(([name, word]): [string, string][] => {
    const here = place === '' ? name : `${place}.${name}`;
    if (typeof word === 'object') return wordsOf(word, here);
    if (typeof word === 'string') return [[here, word]];
    // A text in the place of a count takes the plural.
    const given = Array.from({ length: word.length }, (_, index) => `<${index}>`);
    return [[here, String(word(...given))]];
  });

test('both languages have each word, with the same figures and names in it', () => {
  const [english, german] = [new Map(wordsOf(en)), new Map(wordsOf(de))];
  const slots = (text = ''): string[] => (text.match(/<\d>/g) ?? []).sort();

  expect([...german.keys()]).toEqual([...english.keys()]);
  expect(english.size).toBeGreaterThan(100);
  for (const [place, text] of english) {
    expect([place, slots(german.get(place))]).toEqual([place, slots(text)]);
    expect([place, text.trim(), german.get(place)?.trim()]).not.toContain('');
  }
});

test('German says “du”, and no word stayed English', () => {
  const english = new Map(wordsOf(en));

  const same = wordsOf(de).filter(([place, text]) => english.get(place) === text);
  expect(same.map(([place]) => place)).toEqual(['credit.endsWhen']);
  for (const [place, text] of wordsOf(de))
    expect([place, text]).not.toContainEqual(expect.stringMatching(/\bIhre?[nmrs]?\b(?! Wert)/));
});

test('one L$ ends, several end', () => {
  expect([en.credit.ends('L$ 1', 1, 'May 1'), en.credit.ends('L$ 2', 2, 'May 1')]).toEqual([
    'L$ 1 ends on May 1',
    'L$ 2 end on May 1',
  ]);
  expect([de.credit.endsToday('L$ 1', 1, '12:00'), de.credit.endsToday('L$ 2', 2, '12:00')]).toEqual([
    'L$ 1 verfällt heute um 12:00',
    'L$ 2 verfallen heute um 12:00',
  ]);
});

/** Words in a source that a person would read: text between tags, and in attributes that are read aloud or shown. */
const wordsIn = (source: string): string[] => {
  const code = source.replace(/\/\*.*?\*\/|(?<!:)\/\/[^\n]*/gs, '');
  const between = [...code.matchAll(/<\/?[a-zA-Z][^<>]*>\s*([^<>{}]*\p{L}[^<>{}]*?)\s*<\//gu)].map(
    ([, text]) => text ?? '',
  );
  const attributes = [...code.matchAll(/\b(?:aria-label|title|placeholder|alt)="([^"]*\p{L}[^"]*)"/gu)];
  // A sentence in a string begins with a capital, and has a space.
  const sentences = [...code.matchAll(/(['"`])([A-ZÄÖÜ]\p{L}+ [^'"`\n]*)\1/gu)];
  return [...between, ...attributes.map(([, text]) => text ?? ''), ...sentences.map(([, , text]) => text ?? '')];
};

test('no words stand elsewhere than in words/', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: page, exclude: ['words/**', 'test/**'] });
  const found = files.flatMap((file) =>
    wordsIn(readFileSync(join(page, file), 'utf8')).map((text) => `${file}: ${text}`),
  );

  expect(files.length).toBeGreaterThan(20);
  // These three are no words: refusals of the service, by which the page knows them.
  expect(found.filter((text) => !/^faults\.ts: (?:The customer|This page has done all)/.test(text))).toEqual([]);
  for (const planted of ['<p>Hello</p>', '<button title="Close it" />', "const a = 'Try it again';"])
    expect(wordsIn(planted), planted).not.toEqual([]);
});
