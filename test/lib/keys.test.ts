import { crc32 } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { base62 } from '../../lib/clock.ts';
import { keyStage, newKey, parseKey, secretMatches } from '../../lib/keys.ts';

const stage = process.env.KEY_STAGE;
afterEach(() => {
  process.env.KEY_STAGE = stage;
});

test('a new key has the documented shape and can be parsed', () => {
  const { id, hash, text } = newKey('live');

  expect(text).toMatch(/^sis_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/);
  expect(text.length).toBeLessThanOrEqual(244);
  expect(parseKey(text, 'live')).toEqual({ id, secret: text.slice(22, 65), isOfPage: false });
  expect(secretMatches(text.slice(22, 65), hash)).toBe(true);
});

test('only a hash of the secret is kept, and it matches no other secret', () => {
  const { hash, text } = newKey('live');

  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(text).not.toContain(hash);
  expect(secretMatches('x'.repeat(43), hash)).toBe(false);
  expect(secretMatches('x'.repeat(43), undefined)).toBe(false);
});

test('a key of the other stage is refused', () => {
  expect(parseKey(newKey('test').text, 'live')).toBeUndefined();
  expect(parseKey(newKey('live').text, 'test')).toBeUndefined();
});

test('a deployment accepts live keys unless its stage is test', () => {
  process.env.KEY_STAGE = 'test';
  expect(keyStage()).toBe('test');
  process.env.KEY_STAGE = 'something else';
  expect(keyStage()).toBe('live');
  delete process.env.KEY_STAGE;
  expect(keyStage()).toBe('live');
});

test('every single changed character is refused', () => {
  const { text } = newKey('test');

  for (let i = 0; i < text.length; i++) {
    const changed = text.slice(0, i) + (text[i] === 'a' ? 'b' : 'a') + text.slice(i + 1);
    expect(parseKey(changed, 'test'), changed).toBeUndefined();
  }
});

test('a shorter, longer or padded key is refused', () => {
  const { text } = newKey('test');

  for (const changed of ['', text.slice(0, -1), `${text}a`, ` ${text}`, `${text}\n`, `${text},${text}`])
    expect(parseKey(changed, 'test')).toBeUndefined();
});

test('refuses a text of another shape although its checksum is right', () => {
  const body = newKey('test').text.slice(0, -6);

  for (const changed of [`x${body}`, ` ${body}`, body.slice(0, -1), `${body}x`, body.replace('sis_', 'sis-')])
    expect(parseKey(changed + base62(crc32(changed), 6), 'test'), changed).toBeUndefined();
});

test('keys do not repeat', () => {
  const texts = Array.from({ length: 1000 }, () => newKey('test').text);

  expect(new Set(texts).size).toBe(1000);
});
