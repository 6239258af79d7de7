import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { routes } from '../../../lib/routes/routes.ts';
import { document } from '../document.ts';
import type { JsonSchema } from '../schemas.ts';
import type { OpenApiDocument } from '../types.ts';
import { schemaChecker } from './schema-check.ts';

/** The rules across the fields of a body. `ACROSS_FIELDS_SEED` replays a run. */

const seed = Number(process.env.ACROSS_FIELDS_SEED ?? Date.now() % 2 ** 31);

const openapi = document(routes, { baseUrl: '', version: '' });
const { schemas } = openapi.components;
const refTo = (name: string) => `#/components/schemas/${name}`;

/** For each rule across a request's fields: the name of its schema, and the document without the rule. */
const rules = Object.entries(schemas).flatMap(([name, schema]): [string, number, OpenApiDocument][] => {
  if (!name.endsWith('Request')) return [];
  const { allOf = [] } = schema;
  return allOf.map((_, n) => {
    const changed = { ...schema, allOf: allOf.toSpliced(n, 1) };
    return [
      name,
      n + 1,
      { ...openapi, components: { ...openapi.components, schemas: { ...schemas, [name]: changed } } },
    ];
  });
});

const texts = ['Lamp', 'ada', 'Lampe für draußen', 'ffffffff-0000-4000-8000-00000000000a', '2099-01-01T00:00:00Z'];

/** Values of a field. Its own schema accepts most of them. */
const valueFor = ({ $ref, anyOf, enum: values, type, items, pattern = '' }: JsonSchema): fc.Arbitrary<unknown> => {
  const named = schemas[$ref?.split('/').at(-1) ?? ''];
  if (named) return valueFor(named);
  if (anyOf) return fc.oneof(...anyOf.map((each) => valueFor(each as JsonSchema)));
  if (values) return fc.constantFrom(...values);
  if (type === 'integer') return fc.constantFrom(-5, 0, 1, 100, 101);
  if (type === 'number') return fc.constantFrom(0, 1, 1.5, 100, 100.5, 101);
  if (type === 'string') return fc.constantFrom(...texts.filter((text) => new RegExp(pattern, 'u').test(text)));
  if (type === 'array') return fc.uniqueArray(valueFor(items as JsonSchema), { minLength: 1, maxLength: 3 });
  throw new Error(`No values are known for a field of the type ${type}.`);
};

/** Bodies with the required fields of a request, and some of the fields in its rules. */
const bodyOf = (name: string): fc.Arbitrary<object> => {
  const { properties = {}, required = [], allOf } = schemas[name] ?? {};
  const ruled = JSON.stringify(allOf);
  const fields = Object.entries(properties).filter(
    ([field]) => required.includes(field) || ruled.includes(JSON.stringify(field)),
  );
  const values = Object.fromEntries(fields.map(([field, schema]) => [field, valueFor(schema as JsonSchema)]));
  const optional = Object.keys(values).filter((field) => !required.includes(field));
  return fc
    .tuple(fc.record(values), fc.subarray(optional))
    .map(([body, absent]) => Object.fromEntries(Object.entries(body).filter(([field]) => !absent.includes(field))));
};

const faultsOf = schemaChecker(openapi);

test.each(rules)(`document and service judge bodies alike by %s's rule %i (seed ${seed})`, (name, _, without) => {
  const service = z.globalRegistry._idmap.get(name) as z.ZodType;
  const faultsWithoutIt = schemaChecker(without);
  const counts = { taken: 0, refusedByIt: 0 };

  fc.assert(
    fc.property(bodyOf(name), (body) => {
      const fits = faultsOf({ $ref: refTo(name) }, body).length === 0;
      expect([body, service.safeParse(body).success]).toEqual([body, fits]);
      if (fits) counts.taken++;
      else if (faultsWithoutIt({ $ref: refTo(name) }, body).length === 0) counts.refusedByIt++;
    }),
    { seed, numRuns: 300 },
  );

  expect(counts.taken).toBeGreaterThan(0);
  expect(counts.refusedByIt).toBeGreaterThan(0);
});

test('every rule across the fields of a body is tried', () => {
  expect(rules.map(([name, n]) => `${name} ${n}`)).toEqual([
    'ApplyCouponRequest 1',
    'ApplyCouponRequest 2',
    'IncrementCustomerCreditRequest 1',
    'IssueKeyRequest 1',
    'ProductDiscountRequest 1',
    'ProductUpsertRequest 1',
    'ProfitShareRequest 1',
    'RevokeCouponRequest 1',
    'RevokeCouponRequest 2',
  ]);
});
