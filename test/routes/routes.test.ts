import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { routes, unwritten } from '../../lib/routes/routes.ts';

/** The endpoints as the contract's tables list them. */
const contract = [
  ['GET', '/v1/coupons/owner/{identifier}', 'coupons:read', 200],
  ['GET', '/v1/coupons', 'coupons:read', 200],
  ['GET', '/v1/coupons/{id}', 'coupons:read', 200],
  ['POST', '/v1/coupons', 'coupons:write', 201],
  ['PUT', '/v1/coupons/{id}', 'coupons:write', 200],
  ['POST', '/v1/customers/{identifier}/actions/apply-coupon', 'coupons:apply', 200],
  ['POST', '/v1/customers/{identifier}/actions/revoke-coupon', 'coupons:apply', 200],
  ['GET', '/v1/customers', 'customers:read', 200],
  ['GET', '/v1/customers/{identifier}', 'customers:read', 200],
  ['GET', '/v1/customers/{identifier}/credit', 'credits:read', 200],
  ['GET', '/v1/customers/{identifier}/spend', 'customers:read', 200],
  ['PUT', '/v1/customers/{identifier}', 'customers:write', 200],
  ['POST', '/v1/customers/{identifier}/actions/set-credit', 'credits:write', 200],
  ['POST', '/v1/customers/{identifier}/actions/set-restricted-credit', 'credits:write', 200],
  ['POST', '/v1/customers/{identifier}/actions/increment-credit', 'credits:write', 200],
  ['POST', '/v1/customers/{identifier}/actions/increment-restricted-credit', 'credits:write', 200],
  ['POST', '/v1/customers/{identifier}/actions/grant-gift-card', 'giftcards:write', 200],
  ['POST', '/v1/customers/{identifier}/actions/ban', 'customers:write', 200],
  ['POST', '/v1/customers/{identifier}/actions/unban', 'customers:write', 200],
  ['GET', '/v1/customers/{identifier}/giftcards', 'giftcards:read', 200],
  ['GET', '/v1/giftcards/{id}', 'giftcards:read', 200],
  ['PUT', '/v1/giftcards/{id}', 'giftcards:write', 200],
  ['POST', '/v1/giftcards/{id}/actions/disable', 'giftcards:write', 200],
  ['GET', '/v1/products', 'products:read', 200],
  ['GET', '/v1/products/{id}', 'products:read', 200],
  ['POST', '/v1/products', 'products:write', 201],
  ['PUT', '/v1/products/{id}', 'products:write', 200],
  ['POST', '/v1/products/{id}/actions/deliver', 'products:deliver', 200],
  ['GET', '/v1/categories', 'categories:read', 200],
  ['GET', '/v1/categories/{id}', 'categories:read', 200],
  ['POST', '/v1/categories', 'categories:write', 201],
  ['PUT', '/v1/categories/{id}', 'categories:write', 200],
  ['DELETE', '/v1/categories/{id}', 'categories:write', 204],
  ['POST', '/v1/categories/{id}/products/{productId}', 'categories:write', 204],
  ['DELETE', '/v1/categories/{id}/products/{productId}', 'categories:write', 204],
];

/** Functions that no request reaches by a row of the table. */
const withoutRow = ['authorizer', 'delivery-worker', 'expiry-sweep'];

const files = globSync('**/*.ts', { cwd: new URL('../../functions/', import.meta.url).pathname }).map((file) =>
  file.replaceAll('\\', '/').replace(/\.ts$/, ''),
);

test('the table has exactly the contract’s 35 endpoints, with its scopes and statuses', () => {
  const rows = routes.filter(({ extension }) => !extension);

  expect(rows.length).toBe(35);
  expect(rows.map(({ method, path, scope, status }) => [method, path, scope, status]).sort()).toEqual(contract.sort());
});

test('ids, and methods with paths, are unique', () => {
  expect(new Set(routes.map(({ id }) => id)).size).toBe(routes.length);
  expect(new Set(routes.map(({ method, path }) => `${method} ${path}`)).size).toBe(routes.length);
});

test.each(routes)('$id has a function that exports a handler, or is listed as unwritten', async ({ id }) => {
  expect(files.includes(id)).toBe(!unwritten.includes(id));
  if (unwritten.includes(id)) return;

  const { handler } = await import(new URL(`../../functions/${id}.ts`, import.meta.url).href);

  expect(handler).toBeTypeOf('function');
});

test('every function has a row, and every unwritten id is a row', () => {
  const ids = routes.map(({ id }) => id);

  expect(files.filter((file) => !ids.includes(file) && !withoutRow.includes(file))).toEqual([]);
  expect(unwritten.filter((id) => !ids.includes(id))).toEqual([]);
});

test.each(routes)('$id has a response exactly if it answers one, and parameters as its path names them', (row) => {
  const named = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);

  expect(row.response === undefined).toBe(row.status === 204);
  expect(Object.keys(row.params.shape).sort()).toEqual(named.sort());
});

test.each(routes.filter(({ writes }) => writes.length > 0))('$id writes and is no GET', ({ method }) => {
  expect(method).not.toBe('GET');
});
