import { globSync, readFileSync } from 'node:fs';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { gatewayAnswers } from '../../../infra/gateway-answers.ts';
import { parseRequest } from '../../../lib/http/request.ts';
import { details, Problem, preconditionFailed, requestRunning } from '../../../lib/problem.ts';
import type { Route } from '../../../lib/routes/route.ts';
import { routes } from '../../../lib/routes/routes.ts';
import { jsonSchema } from '../../../test/support/requests.ts';
import { isAbout, wordsAlone, wordsOf } from '../messages.ts';

/** Words of the API in a sentence: `startDate`, `profitShares[0]`, methods and headers. */
const apiWord = /[a-z]\[\d|[a-z][A-Z]|\b(?:GET|POST|PUT|DELETE|JSON|ISO|dispenser)\b|[A-Z]\w+-(?:Key|Match)\b/;

const sources = globSync('apps/desk/{*,pages/*,parts/*,import/*}.{ts,tsx}').map((file) => readFileSync(file, 'utf8'));
const called = new Set(sources.flatMap((text) => text.match(/\/v1\/[\w/{}-]+/g) ?? []));
/** The rows whose path stands in the desk's code. */
const rowsOfDesk = routes.filter(({ path }) => called.has(path));

type Schema = ReturnType<typeof jsonSchema>;

const uuid = '0b9d6c1e-3f5a-4a63-9a51-0c9b8f6d2e10';
const values = [
  ...[0, 1, -1, 2, 150, 0.5, 1.23456, 1e12, true, null, [], {}, 'x'.repeat(5000), '', ' ', 'a|b', 'ä', 'ada.lovelace'],
  ...[uuid, '00000000-0000-0000-0000-000000000000', '2030-01-31T12:00:00Z', '2029-01-31T12:00:00Z', '31.12.2026'],
];

/** Values that break a rule of a schema, or keep it, with those within it. */
const triedFor = ({ properties = {}, items, anyOf = [] }: Schema): unknown[] => [
  ...values,
  ...bodiesFor(properties as Record<string, Schema>),
  ...(items ? triedFor(items as Schema).flatMap((item) => [[item], [item, item]]) : []),
  ...(anyOf as Schema[]).flatMap((one) => triedFor(one)),
];

/** Objects with no member, one, and each two: rules across fields need two. */
const bodiesFor = (properties: Record<string, Schema>): object[] => {
  const members = Object.entries(properties);
  const ones = members.flatMap(([name, schema]) => triedFor(schema).map((value) => ({ [name]: value })));
  const simple = members.flatMap(([name]) => values.map((value) => ({ [name]: value })));
  const twos =
    members.length < 8
      ? simple.flatMap((one, place) => simple.slice(place + 1).map((other) => ({ ...one, ...other })))
      : [];
  return [{}, ...ones, ...twos];
};

/** All that the service says about the form of requests to a row. */
const refusalsOf = (row: Route): string[] => {
  const { properties = {} } = row.body ? jsonSchema(row.body) : {};
  const path = Object.fromEntries(Object.keys(row.params.shape).map((name) => [name, 'x'.repeat(70)]));
  const said = new Set<string>();
  for (const body of bodiesFor(properties as Record<string, Schema>)) {
    const event = { pathParameters: path, body: JSON.stringify(body), requestContext: {}, multiValueHeaders: {} };
    try {
      parseRequest(row, event as unknown as APIGatewayProxyEvent);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      for (const message of error.errors) said.add(message);
    }
  }
  return [...said];
};

/** The names of a form's fields that a message may stand beside: its field, or the one that it is a part of. */
const fieldsFor = (message: string): string[] => {
  const path = message.split(' ')[0] ?? '';
  const parents = [...path.matchAll(/[[.]/g)].map(({ index }) => path.slice(0, index));
  return [path, ...parents].filter((field) => isAbout(message, field));
};

const said = [...new Set(rowsOfDesk.flatMap(refusalsOf))];

test('no refusal of the form of a request speaks of the API, beside a field or alone', () => {
  const shown = said.flatMap((message) =>
    [wordsAlone(message), ...fieldsFor(message).map((field) => wordsOf(message, field))].map((words) => [
      message,
      words,
    ]),
  );

  expect(rowsOfDesk.length).toBeGreaterThan(60);
  expect(said.length).toBeGreaterThan(200);
  expect(shown.filter(([, words = '']) => apiWord.test(words))).toEqual([]);
  // These would be the service's rule, without the name of its field.
  const passedOn = shown.filter(([, words = '']) => /^(?:Line \d+: |[A-Z][\w ]+: )?This (?!address)/.test(words));
  expect([...new Set(passedOn.map(([message]) => message))]).toEqual([]);
});

/** The values that code puts into texts, by the name that they have there. The others are numbers. */
const put: Record<string, string> = { name: 'delta', words: 'a public https address', itemWords: 'must be short' };

/** The texts in a piece of code, with values where code puts some in. */
const textsIn = (code: string): string[] =>
  [...code.matchAll(/'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g)].map(([, plain, template = '']) =>
    (plain ?? template.replaceAll(/\$\{([^}]*)\}/g, (_, name: string) => put[name] ?? '5')).replaceAll('\\', ''),
  );

/** All texts of refusals that need more than the request: those of `invalid(...)` and of rules that refuse a change. */
const rulesInCode = (): string[] => {
  const code = globSync(['lib/**/*.ts', 'functions/**/*.ts'])
    .filter((file) => !/^lib\/(?:operator|routes|infra)\//.test(file))
    .map((file) => readFileSync(file, 'utf8').replaceAll(/\/\*.*?\*\/|(?<!:)\/\/[^\n]*/gs, ''));
  const refused = code.flatMap((text) => [
    ...[...text.matchAll(/\binvalid\(\s*((?:[^();]|\([^()]*\))*)\)/g)].map(([, inner = '']) => inner),
    ...[...text.matchAll(/\b(?:refused|message): ([^\n]+(?:\n {8,}[^\n]+)*)/g)].map(([, inner = '']) => inner),
    ...[...text.matchAll(/const \w*(?:[fF]ault|[rR]efused|made|anothers)\w*(?:: string)? =\s*([^;]+);/g)].map(
      ([, inner = '']) => inner,
    ),
  ]);
  return [...new Set(refused.flatMap(textsIn))].filter((text) => / \w+.* \w+/.test(text));
};

/** The desk makes these headers itself. */
const ofOtherRows = /^(?:If-Match|Idempotency-Key) must be/;

test('no refusal that the service finds in its data speaks of the API', () => {
  const rules = rulesInCode().filter((text) => !ofOtherRows.test(text));

  expect(rules.length).toBeGreaterThan(40);
  expect(rules.map((text) => [text, wordsAlone(text)]).filter(([, words = '']) => apiWord.test(words))).toEqual([]);
});

test('no answer of the gateway, and none about the request as a whole, speaks of the API', () => {
  const { unauthorized, ...others } = details;
  const texts = [
    ...Object.values(others),
    ...[requestRunning(), preconditionFailed()].map(({ message }) => message),
    ...Object.values(gatewayAnswers).map(({ detail }) => detail.replace(/\$context[\w.]+/, 'credits:write')),
  ].filter((text) => text !== unauthorized);

  expect(texts.length).toBeGreaterThan(10);
  expect(texts.map((text) => [text, wordsAlone(text)]).filter(([, words = '']) => apiWord.test(words))).toEqual([]);
});

test.each([
  ['delta must be a whole number from -2147483647 to 2147483647, but not 0.', 'Enter a whole number other than 0.'],
  ['delta must not remove more than the customer holds.', 'The customer does not hold that much.'],
  ['delta is required: it must be a whole number from 1 to 5.', 'Enter a whole number from 1 to 5.'],
  ['delta has a rule that is new to someField[0].', 'This has a rule that is new to some field 1.'],
  ['delta[2].percent must be a number over 0 and at most 100.', 'Line 3: Enter a percentage over 0, up to 100.'],
  ['delta[0] names a resident who does not exist.', 'Line 1: Nobody is known by this name.'],
  ['Send exactly one of them.', 'Send exactly one of them.'],
])('%s', (message, words) => {
  expect(wordsOf(message, 'delta')).toBe(words);
});

test.each([
  ['tiers must have tiers of different from.', 'Two tiers begin at the same amount: change one.'],
  ['discount.endDate must be later than startDate.', 'Discount end date: Enter an end that is after the beginning.'],
  ['Send exactly one of them.', 'Send exactly one of them.'],
])('%s stands by itself as %s', (message, words) => {
  expect(wordsAlone(message)).toBe(words);
});
