import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

test('every link between the documents leads to a file', () => {
  const documents = [...globSync('*.md'), ...globSync('docs/**/*.md'), ...globSync('inworld/*.md')];

  const broken = documents.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\]\((?![a-z]+:|#)([^)#]+)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !existsSync(join(dirname(file), target)))
      .map((target) => `${file}: ${target}`),
  );

  expect(documents.length).toBeGreaterThan(10);
  expect(broken).toEqual([]);
});

test('the index lists every document', () => {
  const listed = [...readFileSync('docs/README.md', 'utf8').matchAll(/\]\(([^)#]+)/g)].map(([, target = '']) =>
    join('docs', target),
  );
  const documents = globSync('docs/**/*.md').filter((file) => !/^docs\/(README\.md|adr\/)/.test(file));

  expect(documents.filter((file) => !listed.includes(file))).toEqual([]);
});
