import { expect, test } from 'vitest';
import { isLater, newestIn } from '../../../shared/newest.ts';

test.each([
  ['0.10.0\n', '0.10.0'],
  ['v0.9.0', '0.9.0'],
  ['{"name": "9.9.9", "tag_name": "v1.2.0"}', '1.2.0'],
  ['{"version": "1.2.0"}', '1.2.0'],
  ['<html>1.2.0</html>', undefined],
  ['', undefined],
])('the text %j names the version %s', (text, version) => {
  expect(newestIn(text)).toBe(version);
});

test.each([
  ['0.10.0', '0.9.0', true],
  ['0.9.0', '0.10.0', false],
  ['0.9.0', '0.9.0', false],
  ['1.2.0', '1.1.9', true],
])('%s is later than %s: %s', (version, than, is) => {
  expect(isLater(version, than)).toBe(is);
});
