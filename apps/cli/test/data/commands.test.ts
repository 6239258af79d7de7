import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesOf } from '../../../../test/support/files.ts';
import { startForCli } from '../support/cli.ts';

const { dir, run } = await startForCli();
const own = ['--store', 'Demo Store'];

const file = (name: string, text: string): string => {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
};

test('exports a whole store, and imports one of its files into another store', async () => {
  const to = join(dir, 'first');
  const exported = await run('export', '--all', to, ...own, '--json');
  await run('create', 'Next', '--no-key');

  const imported = await run('import', 'products', join(to, 'products.csv'), '--store', 'Next', '--json');
  const again = await run('export', 'products', join(dir, 'again.csv'), '--store', 'Next');

  expect(exported).toMatchObject({ code: 0, stderr: '' });
  expect(exported.rows.map(({ kind }) => `${kind}.csv`).sort()).toEqual(Object.keys(filesOf(to)));
  expect(imported).toMatchObject({
    code: 1,
    rows: [{ imported: false }],
    stderr: expect.stringContaining('categories'),
  });
  expect(again.code).toBe(0);
});

test('bad rows end with exit code 1, the lines of the first 20, and nothing written', async () => {
  const lines = Array.from({ length: 30 }, (_, i) => `Thing ${i},${i < 25 ? 'much' : 5}`);
  const path = file('bad.csv', ['name,price', ...lines].join('\n'));

  const refused = await run('import', 'products', path, ...own);
  const skipped = await run('import', 'products', path, ...own, '--skip-rejects');

  expect(refused.code).toBe(1);
  expect(refused.stdout).toMatch(/ CREATED +CHANGED +UNCHANGED +REJECTED\nproducts +30 +0 +0 +0 +25\n/);
  expect(skipped.stdout).toMatch(/ CREATED +CHANGED +UNCHANGED +REJECTED\nproducts +30 +5 +0 +0 +25\n/);
  expect(refused.stderr).toContain('line 2: price "much" must be a whole number from 0 to 2147483647\n');
  expect(refused.stderr).toContain('line 21: ');
  expect(refused.stderr).not.toContain('line 22: ');
  expect(refused.stderr).toContain('... and 5 more.');
  expect(refused.stderr).toContain('25 of 30 rows cannot be imported, so nothing was written.');
  expect(skipped).toMatchObject({ code: 1, stderr: expect.stringContaining(`are in ${path}.rejects.csv`) });
  expect(readFileSync(`${path}.rejects.csv`, 'utf8').split('\n')).toHaveLength(27);
});

test('a dry run and an unreadable file write nothing; usage errors end with exit code 2', async () => {
  const path = file('good.csv', 'name,price\nNew thing,5\n');

  const dry = await run('import', 'products', path, '--dry-run', '--json', ...own);
  const missing = await run('import', 'products', join(dir, 'none.csv'), ...own);
  const over = await run('export', 'products', path, ...own);

  expect(dry).toMatchObject({ code: 0, rows: [{ created: 1, imported: false }] });
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no file') });
  expect(over).toMatchObject({ code: 1, stderr: expect.stringContaining('--force') });
  expect(readFileSync(path, 'utf8')).toBe('name,price\nNew thing,5\n');
  expect((await run('export', 'products', join(dir, 'x.txt'), ...own)).code).toBe(2);
  expect(existsSync(join(dir, 'x.txt'))).toBe(false);
});

test('the help describes the columns of each file, with an example', async () => {
  const { code, stdout } = await run('import', 'credit', '--help');

  expect(code).toBe(0);
  expect(stdout).toContain('expiresAt');
  expect(stdout).toContain('(required)');
  expect(stdout).toContain('store import credit credit.csv');
});
