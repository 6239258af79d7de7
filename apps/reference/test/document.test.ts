import { expect, test } from 'vitest';
import * as z from 'zod';
import { nilUuid } from '../../../lib/identifier.ts';
import { route } from '../../../lib/routes/route.ts';
import { routes } from '../../../lib/routes/routes.ts';
import { identifier, pageQuery, queryBoolean, queryInteger, uuid } from '../../../lib/routes/wire.ts';
import { document, missingTexts } from '../document.ts';
import { operationTexts } from '../operation-texts.ts';
import { schemaTextFaults } from '../schema-texts.ts';
import { type JsonSchema, parameterSchema, schemaComponents } from '../schemas.ts';
import { tagTexts } from '../texts.ts';
import { schemaChecker } from './schema-check.ts';

const openapi = document(routes, { baseUrl: '', version: '' });
const operations = Object.values(openapi.paths).flatMap((methods) => Object.values(methods));
const operationOf = (id: string) => operations.find(({ operationId }) => operationId === id);

test('every endpoint is in the document with its scope, under a name of its own', () => {
  const described = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => `${method.toUpperCase()} ${path} ${operation['x-required-scope'] ?? null}`,
    ),
  );

  expect(described.sort()).toEqual(routes.map(({ method, path, scope }) => `${method} ${path} ${scope}`).sort());
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(routes.length);
  for (const { security, 'x-required-scope': scope } of operations)
    expect(security).toEqual([{ ApiKey: scope === undefined ? [] : [scope] }]);
});

test('only endpoints beyond the contract are marked as extensions', () => {
  const marked = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation['x-extension'] ? [`${method.toUpperCase()} ${path}`] : [],
    ),
  );
  const extensions = routes.filter(({ extension }) => extension);

  expect(marked.sort()).toEqual(extensions.map(({ method, path }) => `${method} ${path}`).sort());
});

test('every operation and group has a text, and every text an operation', () => {
  expect(Object.keys(operationTexts).sort()).toEqual(routes.map(({ id }) => id).sort());
  expect(new Set(operations.flatMap(({ tags }) => tags))).toEqual(new Set(Object.keys(tagTexts)));
});

const row = route('GET /v1/one-more', {
  id: 'categories/get-category',
  summary: 'One more',
  scope: 'categories:read',
});

test.each([
  ['an operation', { ...row, id: 'categories/one-more' }, 'has no text for categories/one-more'],
  [
    'a parameter',
    { ...row, query: z.object({ colour: z.string() }) },
    'The parameter colour of categories/get-category needs a text',
  ],
  ['a body', { ...row, body: z.object({ colour: z.string() }) }, 'A schema of categories/get-category needs a name'],
])('%s without a text or name stops the generator', (_, added, message) => {
  expect(() => document([added], { baseUrl: '', version: '' })).toThrow(message);
});

test('a field without a text stops the generator', () => {
  const silent = z.object({ colour: z.string() }).meta({ id: 'SilentResponse' });

  expect(() => document(routes, { baseUrl: '', version: '' })).toThrow(
    'need a text by .describe() in lib/routes: SilentResponse.colour',
  );
  z.globalRegistry.remove(silent);
});

test('every problem that an operation can answer is listed', () => {
  const statusesOf = (id: string): string[] => Object.keys(operationOf(id)?.responses ?? {});
  const around = ['401', '403', '404', '429', '500', '503', '504'];

  expect(statusesOf('getCoupon')).toEqual(['200', ...around]);
  expect(statusesOf('listCoupons')).toEqual(['200', '400', ...around]);
  expect(statusesOf('updateCoupon').sort()).toEqual(['200', '400', '412', '413', ...around].sort());
  expect(statusesOf('deleteCategory').sort()).toEqual(['204', '400', '412', ...around].sort());
  expect(statusesOf('disableGiftCard').sort()).toEqual(['200', '400', '409', '422', ...around].sort());
  expect(statusesOf('createCoupon').sort()).toEqual(['201', '400', '409', '413', '422', ...around].sort());
});

test('If-Match and 412 stand where a request may name a state, ETag where an answer has one', () => {
  const idsWith = (ref: string): string[] =>
    operations
      .filter((operation) => JSON.stringify(operation).includes(`"#/components/${ref}"`))
      .map(({ operationId }) => operationId)
      .sort();
  const replaced = [
    'limitCoupon',
    'updateCategory',
    'updateCoupon',
    'updateCustomer',
    'updateGiftCard',
    'updateProduct',
  ];
  const read = ['getCategory', 'getCoupon', 'getCustomer', 'getGiftCard', 'getProduct'];
  const made = ['createCategory', 'createCoupon', 'createProduct', 'disableGiftCard', 'grantGiftCard'];

  expect(idsWith('parameters/IfMatch')).toEqual(['deleteCategory', ...replaced]);
  expect(idsWith('responses/PreconditionFailed')).toEqual(['deleteCategory', ...replaced]);
  expect(idsWith('headers/ETag')).toEqual([...made, ...read, ...replaced].sort());
  expect(openapi.components.parameters.IfMatch).toMatchObject({ name: 'If-Match', in: 'header', required: false });
});

test.each([
  ['limit', pageQuery.limit, { type: 'integer', minimum: 1, maximum: 1000, default: 100 }],
  ['cursor', pageQuery.cursor, { type: 'string', maxLength: 1024 }],
  ['a boolean', queryBoolean().optional(), { type: 'boolean' }],
  ['a number', queryInteger().optional(), { type: 'integer', minimum: -2_147_483_647, maximum: 2_147_483_647 }],
  [
    'an identifier',
    identifier(),
    { type: 'string', maxLength: 63, pattern: expect.any(String), not: { const: nilUuid } },
  ],
  ['an id', uuid(), { type: 'string', maxLength: 36, pattern: expect.any(String) }],
])('%s is described by its form on the wire', (_, schema, expected) => {
  expect(parameterSchema(schema)).toEqual(expected);
});

test('requests are described as sent, answers as received', () => {
  const { schemas } = openapi.components;
  const property = (schema: string, name: string) => schemas[schema]?.properties?.[name];

  expect(schemas.ProductUpsertRequest?.required).toEqual(['name', 'price']);
  expect(property('CreateCouponRequest', 'ownerIdentifier')).toMatchObject({ type: 'string' });
  expect(property('ApplyCouponRequest', 'scope')).toMatchObject({ type: 'integer', enum: [0, 1] });
  expect(property('AppliedCouponResponse', 'scope')).toMatchObject({ $ref: '#/components/schemas/CouponScope' });
  expect(schemas.CouponScope).toMatchObject({ type: 'string', enum: ['store', 'product'] });
  expect(property('ApplyCouponRequest', 'expiresInHours')).toMatchObject({ default: 24, minimum: 1, maximum: 168 });
  // The service also accepts ordinal and week dates, which are not `date-time`.
  expect(property('SetCustomerCreditRequest', 'expiresAt')).toMatchObject({
    type: 'string',
    pattern: expect.any(String),
  });
  expect(property('SetCustomerCreditRequest', 'expiresAt')).not.toHaveProperty('format');
  expect(property('CouponResponse', 'expiration')).toMatchObject({ type: 'string', format: 'date-time' });
  expect(schemas.AppliedCouponResponse?.required).not.toContain('productId');
});

/** True if a text has a bound, and its description names no other one. */
const isBounded = ({ maxLength, enum: values, const: only, description = '' }: JsonSchema): boolean => {
  const [, most] = /(?:at most|1 to) ([\d,]+) (?:printable ASCII )?characters/i.exec(description) ?? [];
  if (maxLength === undefined) return values !== undefined || only !== undefined;
  return most === undefined || Number(most.replaceAll(',', '')) === maxLength;
};

/** The places of texts without a bound. */
const unboundedIn = (value: unknown, place: string): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const { type } = value as { type?: unknown };
  if (type === 'string' || (Array.isArray(type) && type.includes('string')))
    return isBounded(value as JsonSchema) ? [] : [place];
  return Object.entries(value).flatMap(([name, member]) => unboundedIn(member, `${place}/${name}`));
};

test('every text of the document has a bound, which is the one that its description says', () => {
  expect(unboundedIn(JSON.parse(JSON.stringify(openapi)), '')).toEqual([]);
});

test('no format of UUIDs refuses the keys of the virtual world, whose version is none of RFC 9562', () => {
  expect(JSON.stringify(openapi)).not.toContain('"format":"uuid"');
});

test('couponOwnerUuid says what it chooses: the newest usable coupon to apply, any coupon to revoke', () => {
  const textOf = (name: string) => JSON.stringify(openapi.components.schemas[name]?.properties?.couponOwnerUuid);

  expect(textOf('ApplyCouponRequest')).toContain('the newest usable');
  expect(textOf('RevokeCouponRequest')).toContain('any coupon of that owner');
  expect(textOf('RevokeCouponRequest')).not.toContain('newest');
});

const product = { name: 'Lamp', price: 1 };
const couponId = '00000004-dede-4ede-8ede-000000000001';
test.each([
  ['ApplyCouponRequest', { scope: 0 }],
  ['RevokeCouponRequest', { scope: 0, code: 'A', couponId }],
  ['ApplyCouponRequest', { scope: 1, code: 'A' }],
  ['RevokeCouponRequest', { scope: 0, code: 'A', productId: couponId }],
  ['IncrementCustomerCreditRequest', { delta: -1, expiresAt: '2099-01-01T00:00:00Z' }],
  ['ProductUpsertRequest', { ...product, name: 'Lampe für draußen' }],
  ['ProductUpsertRequest', { ...product, profitShares: [{ percent: 5 }] }],
  ['ProductUpsertRequest', { ...product, discount: { value: 101 } }],
])('the schema of %s refuses %j, as the service does', (name, body) => {
  const taken = routes.find((one) => one.body?.meta()?.id === name)?.body?.safeParse(body).success;

  expect(schemaChecker(openapi)({ $ref: `#/components/schemas/${name}` }, body)).not.toEqual([]);
  expect(taken).toBe(false);
});

test('every field is described in a sentence', () => {
  for (const [name, { properties = {} }] of Object.entries(openapi.components.schemas))
    for (const [field, schema] of Object.entries(properties))
      expect((schema as { description: string }).description, `${name}.${field}`).toMatch(
        /^(?!Whether)[A-ZL`].{5,}\.$/s,
      );
});

/** Every schema of the document, at every depth, with its place. */
const schemasOf = (value: unknown, place = '', isMap = false): [place: string, schema: unknown][] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const at = `${place}/${name}`;
    const isSchema = isMap || ['schema', 'items', 'not'].includes(name) || /\/(?:allOf|anyOf|oneOf)$/.test(place);
    return [
      ...(isSchema ? [[at, member] as [string, unknown]] : []),
      ...schemasOf(member, at, ['properties', 'schemas'].includes(name)),
    ];
  });
};

test('spells each schema as an object with one type, and null as a choice, which generators of all versions take', () => {
  const schemas = schemasOf(openapi);

  expect(schemas.length).toBeGreaterThan(1000);
  expect(schemas.filter(([, schema]) => typeof schema === 'boolean')).toEqual([]);
  expect(schemas.filter(([, schema]) => Array.isArray((schema as { type?: unknown }).type))).toEqual([]);
  expect(parameterSchema(z.string().nullable().meta({ maxLength: 5 }).describe('x'))).toEqual({
    anyOf: [{ type: 'string', maxLength: 5 }, { type: 'null' }],
  });
});

test('each schema has a sentence, each object and each enumeration of several places a name', () => {
  const { schemas } = openapi.components;
  const named = new Set(Object.keys(schemas).map((name) => `/components/schemas/${name}`));
  const inner = schemasOf(openapi).filter(([place]) => !named.has(place)) as [place: string, schema: JsonSchema][];
  // The rules across fields are not values.
  const values = inner.filter(([place]) => !/\/allOf\//.test(place));
  const enumerations = values.flatMap(([, { enum: some }]) => (some && some.length > 1 ? [some.join()] : []));

  expect(Object.keys(schemas).filter((name) => !/^[A-Z0-9].*\.$/s.test(schemas[name]?.description ?? ''))).toEqual([]);
  // The messages of webhooks are not answers of operations: each is an event, or the message of a test.
  expect(values.filter(([place, { properties }]) => properties && !place.startsWith('/webhooks/'))).toEqual([]);
  expect(enumerations.filter((one, place) => enumerations.indexOf(one) !== place)).toEqual(['0,1']);
});

test('groups operations where a reader looks, and has one noun for one thing', () => {
  const places = Object.fromEntries(
    operations.map(({ operationId, tags, 'x-client-method': method }) => [operationId, `${tags} ${method}`]),
  );

  expect(places).toMatchObject({
    getRules: 'Store rules.get',
    updateRules: 'Store rules.update',
    updateResident: 'Customers customers.updateResident',
    getProductGiftCard: 'Products products.getGiftCard',
    limitCoupon: 'Coupons coupons.limit',
    listNames: 'Customers customers.listNames',
    addProductToCategory: 'Categories categories.addProduct',
    redeemOwnGiftCards: 'Gift cards giftCards.redeemOwnCards',
  });
  const names = [...Object.keys(places), ...Object.keys(openapi.components.schemas)];
  // A PUT updates, sets or limits something that exists, or registers an object. No name contains the word of the
  // protocol.
  expect(names.filter((name) => /Giftcard|Row$|^[Pp]ut/.test(name))).toEqual([]);
  const tagsOf = Map.groupBy(operations, ({ 'x-client-method': method }) => method.split('.')[0] ?? '');
  // The methods of credit are with the customers, whose credit it is.
  const torn = [...tagsOf].filter(
    ([group, some]) => group !== 'customers' && new Set(some.flatMap(({ tags }) => tags)).size > 1,
  );
  expect(torn.map(([group]) => group)).toEqual([]);
});

test('asks for each query parameter that the service asks for', () => {
  const required = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.values(methods).flatMap(({ parameters }) =>
      parameters.flatMap((one) => ('in' in one && one.in === 'query' && one.required ? [`${path} ${one.name}`] : [])),
    ),
  );

  expect(required).toEqual(['/v1/names prefix']);
});

test('every operation without a text is named at once, with the file where it belongs', () => {
  const [first, second] = routes.slice(0, 2).map((row) => ({ ...row, id: `new/${row.id}` }));

  const missing = missingTexts([...routes, first, second] as typeof routes);

  expect(missingTexts(routes)).toBeUndefined();
  expect(missing?.split('\n')).toEqual(
    [first, second].map((row) => `apps/reference/operations/<resource>.ts has no text for ${row?.id}`),
  );
});

test('a schema without a text is named, and so is a text without a schema', () => {
  const { Bonus: _, ...schemas } = schemaComponents();

  expect(schemaTextFaults({ ...schemas, Bogus: {} }, routes)).toEqual([
    'apps/reference/schema-texts.ts has no text for Bogus',
    'apps/reference/schema-texts.ts has a text for Bonus, which is no schema',
  ]);
});
