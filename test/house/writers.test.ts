import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { codeOf } from '../support/houses.ts';

/**
 * One writer of money: files, moves and mass runs drive acts of `lib`, and compose no item themselves. Stores, keys,
 * boxes and restored tables (`deployment`) and erasures (`person`) write items that no act may.
 */

const verbs = {
  language: ['put', 'remove', 'update', 'updated'],
  table: ['removeMany', 'transact', 'updateExisting', 'write', 'writeUnstamped'],
};

const imports = /import \{([^}]*)\} from '[^']*lib\/table\/(language|table)\.ts'/g;

/** The verbs that write items, among the imports of a file. */
const verbsIn = (text: string): string[] =>
  [...text.matchAll(imports)].flatMap(([, names = '', file = '']) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => verbs[file as keyof typeof verbs].includes(name)),
  );

test('one file makes keys, and one gives a key its secret', () => {
  const filesWith = (text: string | RegExp): string[] =>
    codeOf('lib', 'functions', 'infra', 'apps/cli', 'deploy').filter((file) =>
      new RegExp(text).test(readFileSync(file, 'utf8')),
    );

  expect(filesWith(/put\(\{ \.\.\.sharedKey\('KEY'/)).toEqual(['lib/store/issued-keys.ts']);
  // An accepted invitation gets a secret too.
  expect(filesWith(/[^(]\bnewKey\(/)).toEqual(['lib/store/issued-keys.ts', 'lib/store/key-requests.ts']);
  expect(filesWith(/\bissuing\(/)).toEqual(['lib/store/issued-keys.ts', 'lib/store/key-requests.ts']);
});

const home = 'apps/cli/';
const drivers = codeOf('apps/cli').filter((file) =>
  /^(kinds|books|data|move|commands)\//.test(file.slice(home.length)),
);

test(`no file of the command that reads a merchant's file, or repairs books, writes items itself (${drivers.length} files)`, () => {
  expect(drivers.length).toBeGreaterThan(80);
  expect(drivers.filter((file) => verbsIn(readFileSync(file, 'utf8')).length > 0)).toEqual([]);
});

test('a file that imports a verb of the table is found, whatever else it imports', () => {
  const text = `import { isNew, put } from '../../../lib/table/language.ts';\nimport {\n  get,\n  transact,\n} from '../../lib/table/table.ts';`;

  expect(verbsIn(text)).toEqual(['put', 'transact']);
  expect(verbsIn("import { getMany } from '../../../lib/table/table.ts';")).toEqual([]);
});
