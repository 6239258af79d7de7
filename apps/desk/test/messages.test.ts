import { expect, test } from 'vitest';
import { routes } from '../../../lib/routes/routes.ts';
import { jsonSchema } from '../../../test/support/requests.ts';
import { wordsAlone, wordsOf } from '../messages.ts';

/** The service's messages about the fields of a row, by field: each value has a wrong form. */
const messagesOf = ({ body }: (typeof routes)[number]): [field: string, message: string][] => {
  const { properties = {} } = body ? jsonSchema(body) : {};
  const wrong = [{}, -0.5, '', ' ', 'x'.repeat(5000), 1e12, null, []];
  return Object.keys(properties).flatMap((name) =>
    wrong.flatMap((value) =>
      (body?.safeParse({ [name]: value }).error?.issues ?? [])
        .filter(({ path, message }) => path.length === 1 && path[0] === name && !/^[A-Z]/.test(message))
        .map(({ message }): [string, string] => [name, `${name} ${message}.`]),
    ),
  );
};

test('every message about a field has a sentence of the desk’s own, without the API’s name of the field', () => {
  const all = routes.filter(({ id }) => !/^(dispenser|residents|vendors\/register)/.test(id)).flatMap(messagesOf);
  const unworded = all
    .map(([field, message]) => ({ message, words: wordsOf(message, field) }))
    .filter(({ message, words }) => words === message || words.startsWith('This '));

  expect(all.length).toBeGreaterThan(100);
  expect([...new Set(unworded.map(({ message }) => message))]).toEqual([]);
});

test.each([
  ['delta must be a whole number from -2147483647 to 2147483647, but not 0.', 'Enter a whole number other than 0.'],
  ['delta must not remove more than the customer holds.', 'The customer does not hold that much.'],
  ['delta is required: it must be a whole number from 1 to 5.', 'Enter a whole number from 1 to 5.'],
  ['delta has a rule that is new.', 'This has a rule that is new.'],
  ['Send exactly one of them.', 'Send exactly one of them.'],
])('%s', (message, words) => {
  expect(wordsOf(message, 'delta')).toBe(words);
});

test.each([
  ['tiers must have tiers of different from.', 'Two tiers begin at the same amount: change one.'],
  ['Send exactly one of them.', 'Send exactly one of them.'],
])('%s stands by itself as %s', (message, words) => {
  expect(wordsAlone(message)).toBe(words);
});
