import { expect, test } from 'vitest';
import { routes } from '../../../lib/routes/routes.ts';
import { document } from '../document.ts';
import { operationTexts } from '../operation-texts.ts';
import type { JsonSchema } from '../schemas.ts';
import type { Parameter } from '../types.ts';
import { schemaChecker } from './schema-check.ts';

/** Puts every value of a pool into every field of every example request. Document and service must agree about each. */

const long = (count: number): string[] =>
  ['x', '😀'].map((character) => character.repeat(count)).flatMap((text) => [text, `  ${text} `]);
const pool: readonly unknown[] = [
  ...[null, true, 'true', 0, 1, 2, 3, -1, 0.5, 24, 100, 101, 168, 169, '1', 1e-12, 1e300],
  ...[2_147_483_647, 2_147_483_648, -2_147_483_647, -2_147_483_648],
  ...['', ' ', 'a', 'a b', 'a\tb', 'a\nb', 'a\u0000b', 'a\u0085b', 'a|b', 'é', '😀', '\u200b', 'a\u200bb', ' \u2060 '],
  ...['\t', ' \t', '\ta', 'a\t', 'a \t ', ' a\n\v ', '\r\na\r\n', 'a\tb\t', 'a\v\u0000'],
  ...[63, 64, 65, 100, 101, 255, 256, 500, 501, 1000, 1001, 1023, 1024, 4096, 4097].flatMap(long),
  ...[
    '00000000-0000-0000-0000-000000000000',
    'FFFFFFFF-0000-0000-0000-00000000000A',
    'ffffffff00000000000000000000000a',
  ],
  ...['ada', 'ada.lovelace', ' Ada Lovelace ', 'a.b.c', 'a-b'],
  ...[
    '2099-01-01T00:00:00Z',
    '2099-01-01T00:00:00.123+02:00',
    '2099-02-30T00:00:00Z',
    '2099-01-01',
    '2099-01-01T00:00:00',
    '2099-001T00:00Z',
    '2099-W01-1T12,5Z',
    '20990101T000000+0100',
    '2099-01-01t00:00:00z',
    '2099-01-01T0000Z',
  ],
  ...[
    [],
    ['a'],
    ['é|'],
    [{}],
    [{ username: 'ada', percent: 50 }],
    [{ userUuid: 'ada', percent: 0 }],
    [{ username: 'ada' }],
  ],
  ...[{}, { value: 5 }, { value: -1 }, { value: 101 }, { type: 3 }, { type: 2, value: 101 }, { startDate: 'x' }],
  ...[{ copy: false }, { copy: null }, { modify: 'x' }],
];

/** Conditions that no schema can state, only a description. Each is a pattern of `Schema.field value`. */
const inWords = [
  // A note is counted in bytes.
  /^(?:DeliverProduct|RedeliverProduct|CreateSale)Request\.message " *😀{3}/u,
  // A text of only blanks and format characters is empty.
  /"\s*\p{Cf}\s*"$/u,
  // This day does not exist.
  /"2099-02-30T00:00:00Z"$/,
];

/** Values that the service accepts and a schema refuses. */
const beyondSchema = [
  // Few languages know format characters, which a search leaves out.
  /^names\.prefix ".*\p{Cf}/u,
];

/** True if a schema and the service disagree about a value, and no description says why. */
const disagree = (what: string, value: unknown, faultsWith: (value: unknown) => string[], taken: boolean): boolean => {
  const faults = faultsWith(value);
  const allowed = faults.length === 0;
  if (allowed === taken || (allowed ? inWords : beyondSchema).some((rule) => rule.test(what))) return false;
  // The service trims a text before it counts. A schema does not.
  const isLong = typeof value === 'string' && faults.some((fault) => fault.includes('NOT have more than'));
  return !(isLong && faultsWith(value.trim()).length === 0);
};

const openapi = document(routes, { baseUrl: '', version: '' });
const faultsOf = schemaChecker(openapi);

/** The service ignores unknown members of an object, but this checker reports them as faults. */
const faultsIn = (name: string, body: object): string[] =>
  faultsOf({ $ref: `#/components/schemas/${name}` }, body).filter((fault) => !/additional/.test(fault));

test.each(routes.filter(({ body }) => body))('$id accepts exactly the values that its schema allows', (row) => {
  const name = row.body?.meta()?.id ?? '';
  const fields = Object.keys(openapi.components.schemas[name]?.properties ?? {});
  const example = operationTexts[row.id]?.request as object;

  const disagreements = fields.flatMap((field) =>
    pool.flatMap((value) => {
      const what = `${name}.${field} ${JSON.stringify(value)}`;
      const taken = row.body?.safeParse({ ...example, [field]: value }).success === true;
      const faultsWith = (one: unknown): string[] => faultsIn(name, { ...example, [field]: one });
      if (!disagree(what, value, faultsWith, taken)) return [];
      return [`${what.slice(0, 80)}: the schema ${taken ? 'refuses' : 'allows'} it`];
    }),
  );

  expect(fields.length).toBeGreaterThan(0);
  expect(disagreements).toEqual([]);
});

const queries = routes.flatMap((row) => {
  const { parameters = [] } = openapi.paths[row.path]?.[row.method.toLowerCase()] ?? {};
  const asked = parameters.filter((one): one is Parameter => 'in' in one && one.in === 'query');
  const whole = Object.fromEntries(asked.filter(({ required }) => required).map(({ name }) => [name, 'ada']));
  return asked
    .filter(({ schema }) => schema.type === 'string')
    .map(({ name, schema }) => ({ row, name, schema, whole }));
});

test.each(queries)(
  '$row.id accepts exactly the texts that its schema allows as $name',
  ({ row, name, schema, whole }) => {
    const texts = pool.filter((value) => typeof value === 'string');

    const disagreements = texts.filter((value) => {
      const taken = row.query.safeParse({ ...whole, [name]: value }).success;
      const what = `${row.path.slice('/v1/'.length)}.${name} ${JSON.stringify(value)}`;
      return disagree(what, value, (one) => faultsOf(schema, one), taken);
    });

    expect(texts.length).toBeGreaterThan(50);
    expect(disagreements).toEqual([]);
  },
);

const arrays = routes.flatMap((row) =>
  Object.entries(openapi.components.schemas[row.body?.meta()?.id ?? '']?.properties ?? {})
    .filter(([, schema]) => (schema as JsonSchema).type === 'array')
    .map(([field]) => ({ row, field })),
);

test.each(arrays)('the refusal of as many wrong $field as fit into a body is within its bound', ({ row, field }) => {
  const { detail } = (openapi.components.schemas.Problem?.properties ?? {}) as Record<string, JsonSchema>;

  const lengths = [1000, 125_000].map((count) => {
    const issues = row.body?.safeParse({ [field]: Array(count).fill(1) }).error?.issues ?? [];
    return issues.reduce((sum, { path, message }) => sum + `${path.join('.')} ${message}. `.length, 0);
  });

  expect(Math.min(...lengths)).toBeGreaterThan(0);
  expect(Math.max(...lengths)).toBeLessThan(detail?.maxLength ?? 0);
});
