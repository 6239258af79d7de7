import { expect, test } from 'vitest';
import { copiedName } from '../../shared/copied-name.ts';

const uuid = '0b9d6c1e-3f5a-4a63-9a51-0c9b8f6d2e10';

test.each([
  ['ada.lovelace', 'ada.lovelace'],
  ['Ada  Lovelace', 'Ada Lovelace'],
  [' Ada\u00a0Lovelace\u200b\n', 'Ada Lovelace'],
  ['Ada the Great (ada.lovelace)', 'ada.lovelace'],
  ['Ada (the) Great ( bob )', 'bob'],
  ['Ada (Lovelace the Great)', 'Ada (Lovelace the Great)'],
  [`{${uuid}}`, uuid],
  [`(${uuid.toUpperCase()})`, uuid.toUpperCase()],
  [`secondlife:///app/agent/${uuid}/about`, uuid],
  [`[secondlife:///app/agent/${uuid}/inspect Ada]`, uuid],
  [`https://world.secondlife.com/resident/${uuid}?lang=en`, uuid],
  ['https://my.secondlife.com/ada.lovelace', 'ada.lovelace'],
  [`secondlife:///app/agent/${uuid}0/about`, `secondlife:///app/agent/${uuid}0/about`],
  ['ada.lovelace.third', 'ada.lovelace.third'],
  ['', ''],
])('reads %j as %j', (text, name) => {
  expect(copiedName(text)).toBe(name);
  expect(copiedName(name)).toBe(name);
});

test('a text that is far too long is left to the service', () => {
  const text = '('.repeat(100_000);

  expect(copiedName(text)).toBe(text);
});
