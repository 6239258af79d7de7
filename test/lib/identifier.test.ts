import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { nilUuid, parseIdentifier } from '../../lib/identifier.ts';
import { codePoints } from '../support/code-points.ts';

test.each([
  ['Ada Resident', 'ada'],
  ['ada.resident', 'ada'],
  ['ADA', 'ada'],
  ['  ada  ', 'ada'],
  ['Ada Lovelace', 'ada.lovelace'],
  ['ada.LOVELACE', 'ada.lovelace'],
  ['Resident', 'resident'],
  ['Resident Resident', 'resident'],
  ['x'.repeat(31), 'x'.repeat(31)],
  [`${'x'.repeat(31)}.${'9'.repeat(31)}`, `${'x'.repeat(31)}.${'9'.repeat(31)}`],
])('%j is the resident %j', (text, username) => {
  expect(parseIdentifier(text)).toEqual({ username });
});

test.each([
  '',
  ' ',
  'x'.repeat(32),
  `a.${'x'.repeat(32)}`,
  'a.b.c',
  'a  b',
  'a_b',
  'ada.',
  '.ada',
  'ädа',
  '\u212Aelvin',
  'ada\nlovelace',
  nilUuid,
  '00000000-0000-0000-0000-00000000000',
  'g0000000-0000-0000-0000-000000000001',
])('%j names nobody', (text) => {
  expect(parseIdentifier(text)).toBeUndefined();
});

test('accepts a UUID in any case, with any version and variant', () => {
  expect(parseIdentifier('FFFFFFFF-0000-0000-0000-00000000000A')).toEqual({
    uuid: 'ffffffff-0000-0000-0000-00000000000a',
  });
});

test('never throws, and reads its own result as the same identifier', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: codePoints }), fc.stringMatching(/^[a-zA-Z0-9]{1,5}[. ]?[a-z]{0,5}$/)),
      (text) => {
        const parsed = parseIdentifier(text);
        if (parsed) expect(parseIdentifier(parsed.uuid ?? parsed.username)).toEqual(parsed);
      },
    ),
  );
});
