import { expect, test } from 'vitest';
import { newPageKey } from '../../../lib/keys.ts';
import { codeIn, pageOf } from '../code.ts';

const { text: code } = newPageKey('live');

test.each([
  ['the code alone', code],
  ['a link', `https://abc.execute-api.eu-west-1.amazonaws.com/prod/me#code=${code}`],
  ['a link of a domain', `https://store.example.com/me#code=${code}`],
  ['a line of chat', `[12:31] Terminal: your page: http://127.0.0.1:4000/me#code=${code} (ten minutes)`],
  ['spaces and lines around it', `\n  ${code}\t\n`],
  ['a code of the local service', newPageKey('test').text],
])('finds the code in %s', (_, text) => {
  expect(codeIn(text)).toBe(/sis_me_\w+/.exec(text)?.[0]);
});

test.each([
  ['nothing', ''],
  ['a link without a code', 'https://store.example.com/me#code='],
  ['a code that was cut off', code.slice(0, -1)],
  ['a code with a letter too many', `${code}x`],
  ['an API key', code.replace('sis_me_', 'sis_')],
  ['a code in other letters', code.toUpperCase()],
])('finds none in %s', (_, text) => {
  expect(codeIn(text)).toBeUndefined();
});

test('a code and the token that it begins are of one page, and others are not', () => {
  const token = newPageKey('live', code.slice(12, 24)).text;

  expect(pageOf(token)).toBe(pageOf(code));
  expect(pageOf(code)).toBe(code.slice(12, 24));
  expect(pageOf(newPageKey('live').text)).not.toBe(pageOf(code));
});
