import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { nilUuid } from '../../lib/identifier.ts';
import { route } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import {
  identifierPath,
  idPath,
  noPath,
  noQuery,
  pageQuery,
  queryBoolean,
  queryInteger,
} from '../../lib/routes/wire.ts';
import { document } from '../../reference/document.ts';
import { fieldTexts } from '../../reference/field-texts.ts';
import { operationTexts } from '../../reference/operation-texts.ts';
import { parameterSchema } from '../../reference/schemas.ts';
import { parameterTexts, tagTexts } from '../../reference/texts.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const openapi = document(routes, { baseUrl: 'http://127.0.0.1:4000', version });
const operations = Object.values(openapi.paths).flatMap((methods) => Object.values(methods));
const operationOf = (id: string) => operations.find(({ operationId }) => operationId === id);

test('docs/openapi.json is what the route table gives: if not, run npm run openapi', () => {
  const written = readFileSync('docs/openapi.json', 'utf8');

  expect(written).toBe(`${JSON.stringify(openapi, null, 2)}\n`);
});

test('every endpoint is in the document with its scope, under a name of its own', () => {
  const described = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => `${method.toUpperCase()} ${path} ${operation['x-required-scope']}`,
    ),
  );

  expect(described.sort()).toEqual(routes.map(({ method, path, scope }) => `${method} ${path} ${scope}`).sort());
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(routes.length);
  for (const { security, 'x-required-scope': scope } of operations) expect(security).toEqual([{ ApiKey: [scope] }]);
});

test('only what is beyond the contract is marked as an extension', () => {
  const marked = operations.filter((operation) => operation['x-extension']);

  expect(marked.map(({ operationId }) => operationId)).toEqual(['putDispenser']);
});

test('no text is missing or left over', () => {
  const parameters = operations.flatMap(({ tags, parameters: all }) =>
    all.flatMap((parameter) => ('name' in parameter ? [parameter.name, `${tags[0]}.${parameter.name}`] : [])),
  );

  expect(Object.keys(operationTexts).sort()).toEqual(routes.map(({ id }) => id).sort());
  expect(Object.keys(parameterTexts).filter((name) => !parameters.includes(name))).toEqual([]);
  expect(Object.keys(fieldTexts).filter((name) => !(name in openapi.components.schemas))).toEqual([]);
  expect(new Set(operations.flatMap(({ tags }) => tags))).toEqual(new Set(Object.keys(tagTexts)));
});

const row = route({
  id: 'categories/get-category',
  summary: 'One more',
  method: 'GET',
  path: '/v1/one-more',
  scope: 'categories:read',
  status: 200,
  problems: [],
  params: noPath,
  query: noQuery,
  reads: [],
  writes: [],
});

test.each([
  ['an operation', { ...row, id: 'categories/one-more' }, 'has no text for categories/one-more'],
  ['a parameter', { ...row, query: z.object({ colour: z.string() }) }, 'has no text for the parameter colour'],
  ['a body', { ...row, body: z.object({ colour: z.string() }) }, 'has no name for a body of categories/get-category'],
])('%s without a text or name stops the generator', (_, added, message) => {
  expect(() => document([added], { baseUrl: '', version: '' })).toThrow(message);
});

test('every problem that an operation can answer is listed', () => {
  const statusesOf = (id: string): string[] => Object.keys(operationOf(id)?.responses ?? {});
  const around = ['401', '403', '404', '429', '500', '503', '504'];

  expect(statusesOf('getCoupon')).toEqual(['200', ...around]);
  expect(statusesOf('listCoupons')).toEqual(['200', '400', ...around]);
  expect(statusesOf('updateCoupon').sort()).toEqual(['200', '400', '413', ...around].sort());
  expect(statusesOf('disableGiftCard').sort()).toEqual(['200', '400', '409', '422', ...around].sort());
  expect(statusesOf('createCoupon').sort()).toEqual(['201', '400', '409', '413', '422', ...around].sort());
});

test.each([
  ['limit', pageQuery.limit, { type: 'integer', minimum: 1, maximum: 1000, default: 100 }],
  ['cursor', pageQuery.cursor, { type: 'string', maxLength: 1024 }],
  ['a boolean', queryBoolean().optional(), { type: 'boolean' }],
  ['a number', queryInteger().optional(), { type: 'integer', minimum: -2_147_483_647, maximum: 2_147_483_647 }],
  [
    'an identifier',
    identifierPath.shape.identifier,
    { type: 'string', pattern: expect.any(String), not: { const: nilUuid } },
  ],
  ['an id', idPath.shape.id, { type: 'string', format: 'uuid', pattern: expect.any(String) }],
])('%s is described as what it stands for on the wire', (_, schema, expected) => {
  expect(parameterSchema(schema)).toEqual(expected);
});

test('requests are described as they are sent, answers as they are received', () => {
  const { schemas } = openapi.components;
  const property = (schema: string, name: string) => schemas[schema]?.properties?.[name];

  expect(schemas.ProductUpsertRequest?.required).toEqual(['name', 'price']);
  expect(property('CreateCouponRequest', 'ownerIdentifier')).toMatchObject({ type: 'string' });
  expect(property('ApplyCouponRequest', 'scope')).toMatchObject({ type: 'integer', enum: [0, 1] });
  expect(property('AppliedCouponResponse', 'scope')).toMatchObject({ enum: ['store', 'product'] });
  expect(property('ApplyCouponRequest', 'expiresInHours')).toMatchObject({ default: 24, minimum: 1, maximum: 168 });
  expect(property('SetCustomerCreditRequest', 'expiresAt')).toMatchObject({ type: 'string', format: 'date-time' });
  expect(property('CouponResponse', 'expiration')).toMatchObject({ type: 'string', format: 'date-time' });
  expect(schemas.AppliedCouponResponse?.required).not.toContain('productId');
});

test('whatever field is described, it is described in a sentence', () => {
  for (const [name, { properties = {} }] of Object.entries(openapi.components.schemas))
    for (const [field, schema] of Object.entries(properties))
      expect((schema as { description: string }).description, `${name}.${field}`).toMatch(/^[A-ZL`].{5,}\.$/s);
});
