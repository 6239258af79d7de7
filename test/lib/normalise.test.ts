import { expect, test } from 'vitest';
import { normalised, searchForms, searchText } from '../../lib/normalise.ts';
import { volume } from '../support/volume.ts';

test('no character alone makes a search text of more than four times its length', () => {
  const grown: string[] = [];
  for (let code = 0; code <= 0x10ffff; code += volume(7, 1)) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    const most = 4 * character.length;
    // Both as a text of its own, and in one that is left as it is written where it must.
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
])('%j is searched as %j', (text, searched) => {
  expect(searchText(text)).toBe(searched);
});

test('a term with a character that grows is looked for both as it is written and normalised', () => {
  expect(searchForms('Ａ \ufdfa')).toEqual([`a ${normalised('\ufdfa')}`, 'a \ufdfa']);
  expect(searchForms('Lamp')).toEqual(['lamp']);
});
