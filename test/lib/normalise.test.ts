import { expect, test } from 'vitest';
import { normalised, searchForms, searchText, trimmed } from '../../lib/normalise.ts';
import { volume } from '../support/volume.ts';

test('no character alone makes a search text of more than four times its length', () => {
  const grown: string[] = [];
  for (let code = 0; code <= 0x10ffff; code += volume(7, 1)) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    const most = 4 * character.length;
    // Both as a text of its own, and within one that keeps it unchanged if it must.
    if (searchText(character).length > most || searchForms(character).every((form) => form.length > most))
      grown.push(code.toString(16));
  }

  expect(grown).toEqual([]);
});

test.each([
  ['Lamp ＡＢＣ', 'lamp abc'],
  // 8 characters become 25, which is less than four times as many.
  ['Peace \ufdfa!', `peace ${normalised('\ufdfa')}!`],
  ['\ufdfa\ufdfa E\u0301', '\ufdfa\ufdfa é'],
  ['Red\u200bDress', 'reddress'],
  ['\ufdfa\u200d\ufdfaRe\u00add', '\ufdfa\ufdfared'],
])('%j is searched as %j', (text, searched) => {
  expect(searchText(text)).toBe(searched);
});

test('a term with a character that grows is looked for both as it is written and normalised', () => {
  expect(searchForms('Ａ \ufdfa')).toEqual([`a ${normalised('\ufdfa')}`, 'a \ufdfa']);
  expect(searchForms('Lamp')).toEqual(['lamp']);
});

const england = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}';

test.each([
  ['\u200b', ''],
  [' \u200d\u00a0\u2060 \ufeff', ''],
  ['\u{e0067}\u{e007f}', ''],
  ['\u0600', ''],
  ['\u202a\u200b Oak \u200bchair\u200b\u202c \u200e', 'Oak \u200bchair'],
  ['\u200d👩\u200d👧\u200d', '👩\u200d👧'],
  [`Flag ${england} `, `Flag ${england}`],
  ['\u06dd 12', '\u06dd 12'],
])('%j is trimmed to %j', (text, left) => {
  expect(trimmed(text)).toBe(left);
});

test('a text of a megabyte of invisible characters is trimmed in time that grows with its length alone', () => {
  const many = ' \u200b'.repeat(500_000);

  expect(trimmed(`a${many}b${many}`)).toHaveLength(1_000_002);
});
