import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { codeOf } from '../support/houses.ts';

test('.gitattributes marks exactly the files that say that a command writes them, and data that is there', () => {
  const marked = readFileSync('.gitattributes', 'utf8').match(/^[^#\s]+/gm) ?? [];
  const written = [
    ...codeOf('lib', 'infra', 'local', 'apps/client', 'apps/reference', 'apps/cli', 'apps/desk', 'apps/page'),
    ...globSync('docs/**/*.md'),
  ].filter((file) => /^(?:\/\/|<!--) Written by `npm run/.test(readFileSync(file, 'utf8')));

  expect(marked.filter((file) => !existsSync(file))).toEqual([]);
  expect(marked.filter((file) => !file.endsWith('.json')).sort()).toEqual(written.sort());
  expect(written.length).toBeGreaterThan(0);
});
