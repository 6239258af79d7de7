import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));

/** The most characters of each property that a part of the document bounds, by the property's name. */
const boundsIn = (part: unknown, found = new Map<string, number[]>()): Map<string, number[]> => {
  for (const [name, value] of Object.entries(part ?? {})) {
    if (typeof value?.maxLength === 'number') found.set(name, [...(found.get(name) ?? []), value.maxLength]);
    if (value && typeof value === 'object') boundsIn(value, found);
  }
  return found;
};

const everywhere = boundsIn(document);

/** The bounds in the bodies that a file sends. */
const boundsOfBodies = (text: string): Map<string, number[]> => {
  const bodies = [...text.matchAll(/client\.(post|put)\(\s*'([^']+)'/g)].map(([, method = '', path = '']) => {
    const body = document.paths[path]?.[method]?.requestBody?.content['application/json'].schema;
    return document.components.schemas[String(body?.$ref).replace(/.*\//, '')] ?? body;
  });
  return boundsIn(bodies);
};

test('a field of the desk takes as many characters as the service does', () => {
  const fields = globSync('apps/desk/**/*.tsx').flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const bodies = boundsOfBodies(text);
    return [...text.matchAll(/<Field[^>]*?(?:name="|of\(')(\w+)[^>]*?maxLength=\{(\d+)\}/g)].map(
      ([, name = '', length]) => ({
        file,
        name,
        desk: Number(length),
        service: bodies.get(name) ?? everywhere.get(name),
      }),
    );
  });

  expect(fields.length).toBeGreaterThan(20);
  // Some fields are only for people.
  expect(fields.filter(({ service, desk }) => service && !service.includes(desk))).toEqual([]);
});
