import { expect, test } from 'vitest';
import { sourcesOf } from './mall.ts';
import { plant, planted } from './planted.ts';

test.each(Object.keys(planted))('the fault "%s" still has its place in the shipped script', (name) => {
  expect(plant(sourcesOf(), name)).not.toEqual(sourcesOf());
});
