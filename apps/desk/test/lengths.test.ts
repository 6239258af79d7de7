import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const document = readFileSync('docs/openapi.json', 'utf8');

/** The most characters that the service accepts in properties with this name. */
const longest = (name: string): number[] => {
  const found: number[] = [];
  JSON.parse(document, (key, value) => {
    if (key === name && typeof value?.maxLength === 'number') found.push(value.maxLength);
    return value;
  });
  return found;
};

test('a field of the desk takes as many characters as the service does', () => {
  const fields = globSync('apps/desk/**/*.tsx').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/<Field[^>]*?(?:name="|of\(')(\w+)[^>]*?maxLength=\{(\d+)\}/g)].map(
      ([, name = '', length]) => ({ file, name, length: Number(length) }),
    ),
  );

  expect(fields.length).toBeGreaterThan(20);
  // Some fields are only for people.
  const wrong = fields.filter(({ name, length }) => longest(name).length > 0 && !longest(name).includes(length));
  expect(wrong).toEqual([]);
});
