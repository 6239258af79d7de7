import { afterEach, expect, test } from 'vitest';
import { openCursor, sealCursor } from '../../../lib/lists/cursor.ts';

const place = { part: 'orders', backward: true, inclusive: false, position: '5d1c#ü' };
const owner = 'store products/list-products';
const secret = process.env.CURSOR_SECRET;
afterEach(() => {
  process.env.CURSOR_SECRET = secret;
});

test('a sealed cursor opens again', () => {
  const other = { part: '', backward: false, inclusive: true, position: '' };

  expect(openCursor(sealCursor(place, owner), owner)).toEqual(place);
  expect(openCursor(sealCursor(other, owner), owner)).toEqual(other);
});

test('the text is opaque and different each time', () => {
  const text = sealCursor(place, owner);

  expect(text).toMatch(/^[\w-]+$/);
  expect(Buffer.from(text, 'base64url').toString('latin1')).not.toContain('5d1c');
  expect(sealCursor(place, owner)).not.toBe(text);
});

test('a cursor of another store or endpoint is refused', () => {
  const text = sealCursor(place, owner);

  expect(openCursor(text, 'other products/list-products')).toBeUndefined();
  expect(openCursor(text, 'store coupons/list-coupons')).toBeUndefined();
});

test('a cursor under another secret is refused', () => {
  const text = sealCursor(place, owner);

  process.env.CURSOR_SECRET = 'another secret of the same deployment';

  expect(openCursor(text, owner)).toBeUndefined();
});

test('refuses to seal a cursor under a secret that is too short', () => {
  process.env.CURSOR_SECRET = 'x'.repeat(31);
  expect(() => sealCursor(place, owner)).toThrow('CURSOR_SECRET must hold at least 32 characters.');
  process.env.CURSOR_SECRET = 'x'.repeat(32);
  expect(openCursor(sealCursor(place, owner), owner)).toEqual(place);
  delete process.env.CURSOR_SECRET;
  expect(() => sealCursor(place, owner)).toThrow('CURSOR_SECRET must hold at least 32 characters.');
});

test('every single flipped bit is refused', () => {
  const bytes = Buffer.from(sealCursor(place, owner), 'base64url');

  for (let bit = 0; bit < 8 * bytes.length; bit++) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
    expect(openCursor(flipped.toString('base64url'), owner)).toBeUndefined();
  }
});

test('every truncation is refused', () => {
  const text = sealCursor(place, owner);

  for (let length = 0; length < text.length; length++) expect(openCursor(text.slice(0, length), owner)).toBeUndefined();
});

test('other encodings of the same bytes are refused', () => {
  const text = sealCursor({ ...place, position: 'a'.repeat(40) }, owner);
  const plain = Buffer.from(text, 'base64url').toString('base64');

  for (const spelling of [`${text}=`, `${text}==`, ` ${text}`, `${text}\n`, `${text.slice(0, 4)}.${text.slice(4)}`])
    expect(openCursor(spelling, owner)).toBeUndefined();
  if (plain !== text) expect(openCursor(plain, owner)).toBeUndefined();
});
