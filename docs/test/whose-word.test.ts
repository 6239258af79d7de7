import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { importFiles } from '../../apps/cli/kinds/kinds.ts';
import { classes, words } from '../../lib/operator/imports/words.ts';

const record = readFileSync('docs/adr/0062-whose-word-counts.md', 'utf8');

const table = (...rows: string[][]): string => rows.map((row) => `| ${row.join(' | ')} |`).join('\n');

test('the record of whose word counts has the classes and the rows that imports read', () => {
  const ofClasses = Object.entries(classes).map(([name, rule]) => [name, rule]);
  const ofWords = words.map((word) => [word.values, word.class, word.writers, word.touched, word.after]);

  expect(record).toContain(table(['Class', 'Rule'], ['---', '---'], ...ofClasses));
  expect(record).toContain(
    table(['Values', 'Class', 'Writers', 'This store has acted', 'Then'], Array(5).fill('---'), ...ofWords),
  );
});

test('each file that an import reads has its row', () => {
  const others = ['categories', 'webhooks'];
  const named = new Set(words.map(({ file }) => file));

  expect(
    importFiles
      .map(({ name }) => name)
      .filter((name) => !named.has(name))
      .sort(),
  ).toEqual(others);
});
