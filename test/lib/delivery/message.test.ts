import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { dispenserBody, resolveBody } from '../../../lib/delivery/message.ts';

const request = {
  id: '01a1fe25-20fc-7145-b47d-b1310791f408',
  recipientUuid: '11111111-2222-3333-4444-555555555555',
  item: 'Lamp (boxed)',
  message: 'Enjoy!\nline two 🎁',
  at: 1_900_000_000_999,
  expiresAt: 1_901_000_000_000,
};

test('a request to a dispenser has the documented lines; the note comes last, with its line ends', () => {
  const [, ...lines] = dispenserBody(request, 'secret').split('\n');

  expect(lines).toEqual([
    'SIS1',
    '1900000000',
    request.id,
    request.recipientUuid,
    '1901000000',
    'Lamp (boxed)',
    'Enjoy!',
    'line two 🎁',
  ]);
});

test('the first line is the HMAC of all other lines, as the virtual world computes it', () => {
  const body = dispenserBody(request, 'secret');
  const end = body.indexOf('\n');
  const hmac = (algorithm: string, secret: string, text: string) =>
    createHmac(algorithm, secret).update(text).digest('base64');

  expect(body.slice(0, end)).toBe(hmac('sha256', 'secret', body.slice(end + 1)));
  // The example in the documentation of llHMAC.
  expect(hmac('sha1', 'secret key', 'Hello, Avatar!')).toBe('ffCDntkagRO5mIEtd2tYzM2Bg8I=');
});

test.each(['"', '\\', '\n', '🎁', 'é'])(
  'the longest note of %j fits into the 2,048 bytes that a script is given',
  (unit) => {
    const message = unit.repeat(Math.floor(1023 / Buffer.byteLength(unit)));

    const body = dispenserBody({ ...request, item: 'x'.repeat(63), message }, 's'.repeat(43));

    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(2048);
  },
);

test('a request to resolve a name has the documented lines under their HMAC, without a line end after the last', () => {
  const body = resolveBody({ id: request.id, at: 1_900_000_000_999, name: 'ada.lovelace' }, 'secret');

  const text = `SIS1-RESOLVE\n1900000000\n${request.id}\nada.lovelace`;
  expect(body).toBe(`${createHmac('sha256', 'secret').update(text).digest('base64')}\n${text}`);
});
