import { existsSync, globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { routes } from '../../../lib/routes/routes.ts';
import { contractScopes, pageScope, scopes } from '../../../lib/routes/scopes.ts';

/** The endpoints of the specification, in its order, copied from its tables. */
const specification = `
GET /v1/coupons/owner/{identifier} coupons:read 200
GET /v1/coupons coupons:read 200
GET /v1/coupons/{id} coupons:read 200
POST /v1/coupons coupons:write 201
PUT /v1/coupons/{id} coupons:write 200
POST /v1/customers/{identifier}/actions/apply-coupon coupons:apply 200
POST /v1/customers/{identifier}/actions/revoke-coupon coupons:apply 200
GET /v1/customers customers:read 200
GET /v1/customers/{identifier} customers:read 200
GET /v1/customers/{identifier}/credit credits:read 200
GET /v1/customers/{identifier}/spend customers:read 200
PUT /v1/customers/{identifier} customers:write 200
POST /v1/customers/{identifier}/actions/set-credit credits:write 200
POST /v1/customers/{identifier}/actions/set-restricted-credit credits:write 200
POST /v1/customers/{identifier}/actions/increment-credit credits:write 200
POST /v1/customers/{identifier}/actions/increment-restricted-credit credits:write 200
POST /v1/customers/{identifier}/actions/grant-gift-card giftcards:write 200
POST /v1/customers/{identifier}/actions/ban customers:write 200
POST /v1/customers/{identifier}/actions/unban customers:write 200
GET /v1/customers/{identifier}/giftcards giftcards:read 200
GET /v1/giftcards/{id} giftcards:read 200
PUT /v1/giftcards/{id} giftcards:write 200
POST /v1/giftcards/{id}/actions/disable giftcards:write 200
GET /v1/products products:read 200
GET /v1/products/{id} products:read 200
POST /v1/products products:write 201
PUT /v1/products/{id} products:write 200
POST /v1/products/{id}/actions/deliver products:deliver 200
GET /v1/categories categories:read 200
GET /v1/categories/{id} categories:read 200
POST /v1/categories categories:write 201
PUT /v1/categories/{id} categories:write 200
DELETE /v1/categories/{id} categories:write 204
POST /v1/categories/{id}/products/{productId} categories:write 204
DELETE /v1/categories/{id}/products/{productId} categories:write 204`
  .trim()
  .split('\n');

const contract = routes.filter(({ extension }) => !extension);
const fileOf = (id: string): string => new URL(`../../../functions/${id}.ts`, import.meta.url).pathname;

test('the rows are the 35 endpoints of the specification', () => {
  const rows = contract.map(({ method, path, scope, status }) => `${method} ${path} ${scope} ${status}`);

  expect(specification).toHaveLength(35);
  expect(rows.sort()).toEqual([...specification].sort());
});

test('no POST takes a query: what makes a request with an Idempotency-Key the same is its path and its body', () => {
  const queried = routes.filter(({ method, query }) => method === 'POST' && Object.keys(query.shape).length > 0);

  expect(queried.map(({ id }) => id)).toEqual([]);
});

test('the scopes are the 14 of the specification', () => {
  const named = new Set(specification.map((line) => line.split(' ')[2]));

  expect(new Set(contractScopes)).toEqual(named);
});

test('the endpoints beyond the contract have these 21 scopes more', () => {
  const more = scopes.filter((scope) => !(contractScopes as readonly string[]).includes(scope));

  expect(more).toEqual([
    'store:write',
    'residents:write',
    'dispenser:register',
    'deliveries:read',
    'giftcards:redeem',
    'products:redeliver',
    'sales:read',
    'sales:write',
    'sales:refund',
    'events:read',
    'webhooks:write',
    'payouts:read',
    'payouts:pay',
    'payouts:settle',
    'vendors:read',
    'vendors:register',
    'vendors:write',
    'keys:read',
    'keys:write',
    'journal:read',
    'pages:open',
  ]);
  expect(scopes).toHaveLength(35);
  expect(scopes).not.toContain(pageScope);
});

test('ids are unique', () => {
  expect(new Set(routes.map(({ id }) => id)).size).toBe(routes.length);
});

test('every row has its function', () => {
  for (const { id } of routes) expect(existsSync(fileOf(id)), id).toBe(true);
});

test('every function of a resource has its row', () => {
  const root = new URL('../../../functions', import.meta.url).pathname;
  const files = globSync('*/*.ts', { cwd: root }).map((file) => file.replace(/\.ts$/, ''));

  expect(files.filter((id) => !routes.some((row) => row.id === id))).toEqual([]);
});

test('a GET writes nothing but the count of a page, a row with a body is a POST or PUT, and 204 answers nothing', () => {
  for (const row of routes) {
    if (row.method === 'GET') expect(row.writes, row.id).toEqual(row.scope === pageScope ? ['PAGE'] : []);
    if (row.body) expect(['POST', 'PUT'], row.id).toContain(row.method);
    expect(row.response === undefined, row.id).toBe(row.status === 204);
  }
});

test('every parameter in a path has a schema, and no other', () => {
  for (const { id, path, params } of routes) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(Object.keys(params.shape).sort(), id).toEqual(named.sort());
  }
});
