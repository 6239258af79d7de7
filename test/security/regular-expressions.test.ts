import { readFileSync } from 'node:fs';
import { transform } from 'esbuild';
import { isSafe } from 'redos-detector';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { routes } from '../../lib/routes/routes.ts';
import { codeOf, countsOf } from '../support/houses.ts';

/** Checks every regular expression that input of a caller reaches, in the code and in the schemas. */

const root = new URL('../../', import.meta.url).pathname;

// A slash begins a literal where a value may begin: after an operator, a bracket or `return`.
const literal =
  /(?<=[(,=:[!&|?{};]\s*|return )\/((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])*)\/([dgimsuvy]*)(?!\w)/g;

const literalsOf = async (file: string): Promise<[string, RegExp][]> => {
  // The bundler's parser takes comments and types away.
  const { code } = await transform(readFileSync(root + file, 'utf8'), { loader: 'ts', legalComments: 'none' });
  return [...code.matchAll(literal)].map(([, source = '', flags]) => [
    `${file} /${source}/`,
    // The detector does not know that a sticky expression matches at one place only.
    flags?.includes('y') ? new RegExp(`^(?:${source})`, flags) : new RegExp(source, flags),
  ]);
};

const patternsIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, each]) =>
        name === 'pattern' && typeof each === 'string' ? [each] : patternsIn(each),
      )
    : [];

// Not the tools, which a developer runs over files and templates of their own.
const tools = /^local\/(pages\/build-|deployed\/)/;
const files = [
  ...codeOf('lib', 'functions', 'local').filter((file) => !tools.test(file)),
  ...codeOf('apps/shared', 'apps/cli').filter((file) => /^apps\/(?:shared|cli\/(?:kinds|books))\//.test(file)),
];
const found = new Map((await Promise.all(files.map(literalsOf))).flat());
for (const { params, query, body } of routes)
  for (const schema of [params, query, ...(body ? [body] : [])])
    for (const pattern of patternsIn(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })))
      found.set(`schema /${pattern}/`, new RegExp(pattern));

test(`the search finds regular expressions that are known to exist (${countsOf(files)})`, () => {
  const names = [...found.keys()].join('\n');

  for (const known of ['lib/keys.ts /^sis_', 'lib/identifier.ts /^[0-9A-Fa-f]{8}-', 'lib/routes/wire.ts /\\p{Cc}/'])
    expect(names).toContain(known);
  expect(found.size).toBeGreaterThan(20);
});

test('the detector finds an expression that backtracks', () => {
  expect(isSafe(/^(a+)+$/, { maxScore: 10 }).safe).toBe(false);
});

/**
 * The score bounds the number of ways in which an expression can match a text. If the score is bounded, the time grows
 * linearly with the length of the text.
 */
test.each([...found])('%s takes linear time', (_, expression) => {
  expect(isSafe(expression, { maxScore: 10 })).toMatchObject({ safe: true, error: null });
});
