import { expect, test } from 'vitest';
import { nilUuid, parseIdentifier } from '../lib/identifier.ts';

test.each(['Ada Resident', 'ada.resident', 'ADA', '  ada ', 'ada.RESIDENT'])('%j is the resident ada', (text) => {
  expect(parseIdentifier(text)).toEqual({ username: 'ada' });
});

test.each(['Ada Lovelace', 'ada.lovelace', ' ADA.Lovelace '])('%j is ada.lovelace', (text) => {
  expect(parseIdentifier(text)).toEqual({ username: 'ada.lovelace' });
});

test('takes names of 31 letters and digits in each part, and no more', () => {
  const longest = `${'a1'.repeat(15)}b`;

  expect(parseIdentifier(`${longest} ${longest}`)).toEqual({ username: `${longest}.${longest}` });
  expect(parseIdentifier(`${longest}x`)).toBeUndefined();
  expect(parseIdentifier(`a ${longest}x`)).toBeUndefined();
});

test.each([
  '',
  ' ',
  '.',
  'ada.',
  '.ada',
  'ada..b',
  'ada  b',
  'a b c',
  'a.b.c',
  'adé',
  'ada_b',
  'ada-b',
  'ada\nb',
  'ａda',
])('%j is no identifier', (text) => {
  expect(parseIdentifier(text)).toBeUndefined();
});

test('takes UUIDs of any version and variant, in lower case', () => {
  expect(parseIdentifier(' A0B1C2D3-FFFF-0FFF-FFFF-ABCDEF012345 ')).toEqual({
    uuid: 'a0b1c2d3-ffff-0fff-ffff-abcdef012345',
  });
});

test('refuses the nil UUID, and shapes that are almost a UUID', () => {
  expect(parseIdentifier(nilUuid)).toBeUndefined();
  expect(parseIdentifier('a0b1c2d3-ffff-0fff-ffff-abcdef01234')).toBeUndefined();
  expect(parseIdentifier('{a0b1c2d3-ffff-0fff-ffff-abcdef012345}')).toBeUndefined();
});
