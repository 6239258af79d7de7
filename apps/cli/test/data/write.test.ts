import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../test/support/files.ts';
import { openFile } from '../../data/write.ts';

const dir = tempDir();

test('writes a large file completely, in order, readable by its owner only, and without leaking listeners', async () => {
  const warnings: string[] = [];
  const listen = ({ name }: Error): number => warnings.push(name);
  process.on('warning', listen);
  const file = openFile(join(dir, 'large.csv'));

  for (let i = 0; i < 60_000; i++) await file.write(`${i} ${'x'.repeat(50)}\n`);
  await file.end();

  process.off('warning', listen);
  const lines = readFileSync(join(dir, 'large.csv'), 'utf8').split('\n');
  expect(lines).toHaveLength(60_001);
  expect(lines[59_999]).toBe(`59999 ${'x'.repeat(50)}`);
  expect(warnings).toEqual([]);
});

test('a missing directory is an error, not a silent loss', async () => {
  const file = openFile(join(dir, 'none', 'x.csv'));

  await expect(file.write('x').then(file.end)).rejects.toThrow(/ENOENT/);
});
