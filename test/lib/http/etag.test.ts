import fc from 'fast-check';
import { expect, test } from 'vitest';
import { etagOf, preconditionOf } from '../../../lib/http/etag.ts';
import { Problem } from '../../../lib/problem.ts';
import { updateCategory as row } from '../../../lib/routes/categories.ts';
import { trials } from '../../support/volume.ts';

const category = { id: 'abcdef00-7e57-0000-0000-000000000001', name: 'Seats', productCount: 2 };
const current = etagOf(category);

/** The answer to header values: a fault of form, 412, or none. */
const answerTo = (values: string[]): 'fault' | 'holds' | number => {
  const faults: string[] = [];
  const ifMatch = preconditionOf(row, values, faults);
  if (faults.length > 0) return 'fault';
  try {
    ifMatch?.({ ...category, pk: 'store#CATEGORY', sk: category.id });
    return 'holds';
  } catch (error) {
    return error instanceof Problem ? error.status : Number.NaN;
  }
};

const tag = /(W\/)?"[!#-~\x80-\xff]*"/g;

/**
 * The rule again: a list is empty between its commas once each of its tags is replaced by a letter that no text has.
 */
const expected = (text: string): 'fault' | 'holds' | number => {
  if (text.replace(/^[\t ]+|[\t ]+$/g, '') === '*') return 'holds';
  const elements = text
    .replace(tag, '\u0416')
    .split(',')
    .map((element) => element.replace(/^[\t ]+|[\t ]+$/g, ''));
  if (!elements.includes('\u0416') || elements.some((element) => !['', '\u0416'].includes(element))) return 'fault';
  return [...text.matchAll(tag)].some(([found]) => found === current) ? 'holds' : 412;
};

const parts = [current, `W/${current}`, current.slice(1), '"', '"a"', '""', '"a,b"', 'W/', 'w/', ',', ',', ', ', ' '];
const text = fc.array(fc.constantFrom(...parts, '\t', '*', 'a', '\xe9', "'", '\\', '\x7f', '\0'), { maxLength: 9 });
const values = fc.array(
  text.map((some) => some.join('')),
  { minLength: 1, maxLength: 3 },
);

const runs = trials(20_000, 200_000);
const seed = Number(process.env.IF_MATCH_SEED ?? Date.now() % 2 ** 31);

test(`${runs} values of If-Match from IF_MATCH_SEED=${seed} are lists of ETags or refused, and only the current one holds`, () => {
  const answers = new Map<unknown, number>();
  fc.assert(
    fc.property(values, (sent) => {
      const answer = answerTo(sent);
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
      expect(answer).toBe(expected(sent.join(',')));
    }),
    { seed, numRuns: runs },
  );

  for (const answer of ['fault', 'holds', 412]) expect(answers.get(answer), String(answer)).toBeGreaterThan(runs / 500);
});

test('two representations have two ETags, whichever field differs', () => {
  const others = [
    { ...category, name: 'seats' },
    { ...category, productCount: 3 },
    { ...category, id: '' },
  ];

  expect(new Set([category, ...others].map(etagOf)).size).toBe(4);
  expect(etagOf({ ...category })).toBe(current);
});
