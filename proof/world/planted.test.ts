import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sourcesOf } from './mall.ts';
import { plant, planted, plantedInService, plantInService } from './planted.ts';

test.each(Object.keys(planted))('the fault "%s" still has its place in the shipped script', (name) => {
  expect(plant(sourcesOf(), name)).not.toEqual(sourcesOf());
});

test.each(Object.entries(plantedInService))('the fault "%s" still has its place in the service', (name, { file }) => {
  const text = readFileSync(file, 'utf8');

  expect(plantInService(name, `file:///${file}`, () => text)).not.toBe(text);
  expect(plantInService(name, 'file:///lib/clock.ts', () => text)).toBeUndefined();
});
