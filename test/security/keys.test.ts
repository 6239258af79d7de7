import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { base62 } from '../../lib/clock.ts';
import { newKey } from '../../lib/keys.ts';
import { scopes } from '../../lib/routes/scopes.ts';
import { intercept } from '../support/faults.ts';
import { sendRaw } from '../support/raw-http.ts';
import { startTestService } from '../support/service.ts';

/** Keys that are nearly right, while the gateway's cache knows the right one. */

let reads = 0;

const service = await startTestService({ authorizerTtlSeconds: 3600 });
const key = service.key;
intercept(async (_, send) => {
  reads += 1;
  return send();
});

const path = '/v1/categories';

/** Sends a GET with these raw header lines, one character per byte. */
const sendLines = async (lines: string[], target = path): Promise<number | undefined> => {
  const head = [`GET ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...lines, '', ''];
  return (await sendRaw(Number(new URL(service.baseUrl).port), Buffer.from(head.join('\r\n'), 'latin1')))?.status;
};

const sendKey = (text: string): Promise<number | undefined> =>
  sendLines([`X-API-Key: ${Buffer.from(text, 'utf8').toString('latin1')}`]);

/**
 * Sends keys one after another. Returns the statuses, and the number of calls to the table for all of them together.
 */
const outcome = async (keys: string[]): Promise<{ statuses: (number | undefined)[]; calls: number }> => {
  expect(await sendKey(key)).toBe(200);
  const before = reads;
  const statuses: (number | undefined)[] = [];
  for (const text of keys) statuses.push(await sendKey(text));
  return { statuses: [...new Set(statuses)], calls: reads - before };
};

const refusedUnread = { statuses: [401], calls: 0 };
const replaced = (index: number, by: string): string => key.slice(0, index) + by + key.slice(index + 1);
const places = (): number[] => [...key].map((_, index) => index);

/** A changed key with the checksum of its new text, so that its shape is valid. */
const summed = (body: string): string => body + base62(crc32(body), 6);

test('401s for each character changed, without a read', async () => {
  const changed = places().flatMap((index) => ['x', '7', '_', '-', ' '].map((by) => replaced(index, by)));

  expect(await outcome(changed.filter((text) => text.trim() !== key))).toEqual(refusedUnread);
});

test('401s for each character in the other case, removed, doubled or swapped with the next, without a read', async () => {
  const swapped = (letter = ''): string => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase());
  const changed = places().flatMap((index) => [
    replaced(index, swapped(key[index])),
    replaced(index, ''),
    replaced(index, (key[index] ?? '').repeat(2)),
    key.slice(0, index) + (key[index + 1] ?? '') + (key[index] ?? '') + key.slice(index + 2),
  ]);

  expect(await outcome(changed.filter((text) => text !== key))).toEqual(refusedUnread);
});

test('401s for the key cut off anywhere, or with text before or after it, without a read', async () => {
  const cut = places().flatMap((index) => [key.slice(0, index), key.slice(index + 1)]);
  const around = ['x', '0', '_', ',', ', x', ';', '=', `,${key}`, ` ${key}`, key].flatMap((more) => [
    key + more,
    more + key,
  ]);
  const wrapped = [`"${key}"`, `Bearer ${key}`, `<${key}>`, encodeURIComponent(`${key}\n`), `${key}%00`, btoa(key)];

  expect(await outcome([...cut, ...around, ...wrapped])).toEqual(refusedUnread);
});

test('401s for letters that look alike, without a read', async () => {
  const alike = ['ѕis', 'ｓis', 'sіs', 'ſis', 's\u200bis', 's\u00adis'].map((start) => key.replace('sis', start));

  expect(await outcome([...alike, key.normalize('NFKD').replaceAll('_', '＿')])).toEqual(refusedUnread);
});

test('401s for a key of the other stage, and for parts of two keys in one', async () => {
  const other = newKey('live').text;
  const mixed = [summed(`sis_test_${key.slice(9, 21)}_${service.otherKey.slice(22, 65)}`)];
  const nearly = places()
    .slice(22, 65)
    .map((index) => summed(replaced(index, key[index] === 'a' ? 'b' : 'a').slice(0, -6)));

  expect(await outcome([other, key.replace('_test_', '_live_')])).toEqual(refusedUnread);
  expect(await outcome([...mixed, ...nearly])).toEqual({ statuses: [401], calls: 1 + nearly.length });
  expect(summed(key.slice(0, -6)), 'the checksum is reckoned as the service reckons it').toBe(key);
});

test('401s for a header given twice, in any order, case or company', async () => {
  const good = `X-API-Key: ${key}`;
  const cases = [
    [good, good],
    [good, `x-api-key: ${service.otherKey}`],
    [`X-Api-KEY: ${service.otherKey}`, good],
    [good, 'X-API-Key:'],
    ['X-API-Key: x', good],
    [good, 'Cookie: a=b', good],
    [],
    ['X-API-Key:'],
    ['X-API-Key:    '],
    [`X_API_Key: ${key}`],
    [`Authorization: Bearer ${key}`],
    [`Cookie: X-API-Key=${key}`],
  ];
  const before = reads;

  for (const lines of cases) expect(await sendLines(lines), lines.join()).toBe(401);
  expect(await sendLines([], `${path}?X-API-Key=${key}&apiKey=${key}`)).toBe(401);
  expect(reads).toBe(before);
});

test('ignores blanks around the header’s value, as HTTP demands', async () => {
  expect([await sendLines([`X-API-Key:${key}`]), await sendLines([`x-api-key: \t ${key} \t`])]).toEqual([200, 200]);
});

test('a key with all scopes of one store gives no access to another store', async () => {
  const narrow = await service.keyWith(['products:read'], service.otherStore);
  await service.callAs(await service.keyWith(scopes, service.otherStore))('GET', path);

  expect((await service.callAs(narrow)('GET', path)).status).toBe(403);
});
