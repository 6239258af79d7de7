import { expect, test } from 'vitest';
import { laterIn } from '../../desk/newest.ts';

test.each([
  ['0.10.0\n', '0.9.0', '0.10.0'],
  ['0.9.0', '0.10.0', undefined],
  ['0.9.0', '0.9.0', undefined],
  ['{"name": "9.9.9", "tag_name": "v1.2.0"}', '1.1.9', '1.2.0'],
  ['{"version": "1.2.0"}', '1.2.0', undefined],
  ['', '1.2.0', undefined],
])('the text %j tells version %s of the later one %s', (text, version, later) => {
  expect(laterIn(text, version)).toBe(later);
});
