import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { failureWords } from '../words/failure.ts';

const textOf = (script: string): string => readFileSync(`apps/inworld/${script}.lsl`, 'utf8');

/** The answers of the box that end up at a delivery: those to look-ups are of names. */
const ofLookUps = /look|nothing up|no name|no answer|POST only/;
const answers = [...textOf('dispenser').matchAll(/llHTTPResponse\(\w+, ([45]\d\d), "([^"]+)"\)/g)]
  .map(([, status, text = '']) => [status, text] as const)
  .filter(([, text]) => !ofLookUps.test(text));

test('each answer of the box has words of its own', () => {
  expect(answers.length).toBeGreaterThan(6);
  for (const [status, text] of answers)
    expect([text, failureWords(`The dispenser answered ${status}: ${text}`)]).toEqual([
      text,
      expect.stringMatching(/^(?!The box did not take it:)[A-Z][^\d_]*\.$/),
    ]);
});

test('each code by which Second Life refuses a payout has words of its own', () => {
  const codes = textOf('cashier')
    .match(/list SURE = \[([^\]]+)\]/)?.[1]
    ?.match(/[A-Z_]{4,}/g);

  expect(codes?.length).toBeGreaterThan(6);
  for (const code of [...(codes ?? []), 'SERVICE_ERROR', 'EXPIRED'])
    expect([code, failureWords(code)]).toEqual([code, expect.not.stringMatching(/[A-Z_]{3,}|dispenser/)]);
});

test.each([
  ['no such item: Fireflies in a jar', 'The box does not have this item: Fireflies in a jar'],
  ['The dispenser answered 404: cap not found', 'The box is not there any more.'],
  ['The dispenser answered 500', 'The box did not take it.'],
  ['The dispenser did not answer within 25 seconds.', 'The box did not answer within 25 seconds.'],
  ['The store has no dispenser yet.', 'The store has no box yet.'],
  ['No answer within 25000 ms', 'There was no answer.'],
  ['ECONNREFUSED', 'There was no answer.'],
  ['It answered 500: oops', 'The address answered with the error 500.'],
  ['refunded', 'The sale was refunded.'],
  ['the answer to the claim came too late', 'the answer to the claim came too late'],
])('%s is told as %s', (told, words) => {
  expect(failureWords(told)).toBe(words);
});
