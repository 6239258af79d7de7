import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { plant, planted } from './planted.ts';

test.each(Object.entries(planted))('the fault "%s" still has its place, in its file alone', (name, { file }) => {
  const text = readFileSync(file, 'utf8');

  expect(plant(name, `file:///${file}`, text)).not.toBe(text);
  expect(plant(name, 'file:///lib/clock.ts', text)).toBe(text);
});
