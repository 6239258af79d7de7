import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { codeOf } from '../../../test/support/houses.ts';
import { NoAnswer, Refused } from '../api.ts';
import { allDone, explain, refusals } from '../faults.ts';
import { speak } from '../language.ts';

const speech = speak('en', ['en-US']);
const { faults } = speech.t;
const end = '2028-03-01T13:00:00.000Z';
const now = Date.parse('2028-03-01T12:00:00.000Z');

const said = (status: number, detail = '', seconds = 0): string =>
  explain(new Refused(status, detail, seconds), speech, end, now);

test('each refusal that has words here is one that the service gives', () => {
  const code = codeOf('lib').map((file) => readFileSync(file, 'utf8'));

  expect(refusals.length).toBeGreaterThan(5);
  for (const part of [...refusals.map(([part]) => part), allDone])
    expect(code.filter((text) => text.includes(part)).length, part).toBeGreaterThan(0);
});

test('a refusal is told in the page’s own words, an unknown one in general ones', () => {
  expect(
    said(400, 'The product was sent to this customer less than 60 seconds ago. It can be sent again in 9 seconds.'),
  ).toBe(faults.tooSoon);
  expect(said(400, 'The cards must not take the balance above the credit limit of 50.')).toBe(faults.tooMuch);
  expect(said(400, 'card cannot be redeemed any more.')).toBe(faults.cardGone);
  expect(said(404)).toBe(faults.noProduct);
  expect(said(400, 'Something new in the service.')).toBe(faults.other);
  expect(said(403)).toBe(faults.other);
});

test('too many acts are told with the end of the page, too much at once with a time for another try', () => {
  expect(said(429, `${allDone} Open a new one later.`, 3600)).toBe(faults.noMoreActs(speech.clock(end)));
  expect(said(429, 'Too many requests.', 120)).toBe(faults.busy(speech.clock(now + 120_000)));
  // In a minute at the earliest, since the time has no seconds.
  expect(said(429, 'Too many requests.', 5)).toBe(faults.busy(speech.clock(now + 60_000)));
});

test('no answer leaves open whether it was done, and a fault of the page itself is none of a call', () => {
  expect(explain(new NoAnswer(), speech, end)).toBe(faults.noAnswer);
  expect(() => explain(new TypeError('x'), speech, end)).toThrow('x');
});
