import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFiles } from '../../test/support/houses.ts';

/** Compares the variables of random tests in CONTRIBUTING.md with the variables that the tests read. */

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const variable = /process\.env\.(\w*?)_?(SEED|RUNS|PATH|REQUESTS|SECONDS|RESIDENTS|PURCHASES)\b/g;

const files = testFiles().sort();

/** By their common beginnings: `FUZZ_SEED`, `_PATH`. */
const variables = (): string => {
  const endings = new Map<string, Set<string>>();
  for (const file of files)
    for (const [, name = '', ending = ''] of read(file).matchAll(variable))
      if (name !== '' || ending === 'SEED') endings.set(name, (endings.get(name) ?? new Set()).add(ending));
  return [...endings]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, some]) =>
      [...some].map((ending, i) => (i === 0 && name !== '' ? `\`${name}_${ending}\`` : `\`${name && '_'}${ending}\``)),
    )
    .map((some) => some.join(', '))
    .join('; ');
};

const wrapped = (text: string): string => text.replace(/(.{1,119})(?: |$)/g, '$1\n').trimEnd();

test('CONTRIBUTING lists the variables that the tests read: vitest run docs/test/variables.test.ts -u', async () => {
  const [before = '', rest = ''] = read('CONTRIBUTING.md').split(/(?<=<!-- variables -->\n)/);
  const after = rest.slice(rest.indexOf('\n<!-- end -->'));

  expect(after).not.toBe('');
  await expect(before + wrapped(variables()) + after).toMatchFileSnapshot(join(root, 'CONTRIBUTING.md'));
});
