import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { handler as authorizer } from '../../functions/authorizer.ts';
import { source } from '../../lib/clock.ts';
import { newKey } from '../../lib/keys.ts';
import { type Route, type Scope, scopes } from '../../lib/routes/route.ts';
import { routes, unwritten } from '../../lib/routes/routes.ts';
import { findKey, issueKey, revokeKey } from '../../lib/store/api-keys.ts';
import { metered, newMeter } from '../../lib/store/meter.ts';
import { createStore, deleteStore } from '../../lib/store/stores.ts';
import { createGateway } from '../../local/gateway.ts';
import { setClock, startTestService, wholeTable } from '../support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  service = await startTestService();
});

const realNow = source.now;
afterEach(() => {
  source.now = realNow;
});

const somePath = (path: string): string => path.replace(/\{[^}]+\}/g, 'a0b1c2d3-ffff-0fff-ffff-abcdef012345');

const eventOf = ({ method, path }: Route, ...keys: string[]) =>
  ({
    type: 'REQUEST',
    methodArn: `arn:aws:execute-api:us-east-1:000000000000:api/stage/${method}${somePath(path)}`,
    httpMethod: method,
    resource: path,
    multiValueHeaders: keys.length > 0 ? { 'X-API-Key': keys } : {},
  }) as unknown as APIGatewayRequestAuthorizerEvent;

const costOf = async (event: APIGatewayRequestAuthorizerEvent) => {
  const meter = newMeter();
  await metered(meter, () => authorizer(event)).catch(() => undefined);
  return { calls: meter.calls, units: meter.units };
};

const route = (id: string): Route => routes.find((row) => row.id === id) as Route;
const aRoute = route('products/list-products');
const effectOf = async (row: Route, key: string) =>
  (await authorizer(eventOf(row, key))).policyDocument.Statement[0]?.Effect;

test.each(scopes)('%s alone opens exactly the routes of that scope', async (scope) => {
  const key = await service.keyWith([scope]);

  const opened = [];
  for (const row of routes) if ((await effectOf(row, key)) === 'Allow') opened.push(row.id);

  expect(opened).toEqual(routes.filter((row) => row.scope === scope).map(({ id }) => id));
});

test('403s as problem+json on every route whose scope the key lacks', async () => {
  for (const row of routes) {
    const key = await service.keyWith(scopes.filter((scope) => scope !== row.scope));
    const path = somePath(row.path);

    const { status, headers, body } = await service.callAs(key)(row.method, path);

    expect(status, row.id).toBe(403);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(body).toEqual({ status: 403, title: 'Forbidden', detail: expect.any(String), instance: path });
  }
});

describe('401s', () => {
  const refused = (...keys: string[]) => expect(authorizer(eventOf(aRoute, ...keys))).rejects.toThrow(/^Unauthorized$/);

  test('for no key, an empty, a repeated or a malformed one, without a read', async () => {
    const sets = [[], [''], [service.key, service.key], [`${service.key}x`], ['Bearer x'], [`${service.key}, x`]];

    for (const keys of sets) {
      await refused(...keys);
      expect(await costOf(eventOf(aRoute, ...keys))).toEqual({ calls: 0, units: 0 });
    }
  });

  test('for a flipped checksum, without a read', async () => {
    const flipped = service.key.slice(0, -1) + (service.key.endsWith('0') ? '1' : '0');

    await refused(flipped);
    expect(await costOf(eventOf(aRoute, flipped))).toEqual({ calls: 0, units: 0 });
  });

  test('for a key that was never issued', () => refused(newKey('test').text));

  test('for a key of the other stage', () => refused(newKey('live').text));

  test('for an expired key, from the very moment it expires', async () => {
    const expiresAt = '2030-01-01T00:00:00.000Z';
    const { text } = await issueKey({ store: service.store, name: 'short', scopes, stage: 'test', expiresAt });

    setClock(Date.parse(expiresAt) - 1);
    expect(await effectOf(aRoute, text)).toBe('Allow');

    setClock(Date.parse(expiresAt));
    await refused(text);
  });

  test('for a revoked key', async () => {
    const { key, text } = await issueKey({ store: service.store, name: 'gone', scopes, stage: 'test' });

    await revokeKey(key.id);

    await refused(text);
  });

  test('as problem+json through the gateway, and writes nothing', async () => {
    const before = await wholeTable();

    const { status, headers, body } = await service.callAs(newKey('test').text)('GET', '/v1/products');

    expect(status).toBe(401);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(headers.get('x-request-id')).toBeTruthy();
    expect(body).toEqual({
      status: 401,
      title: 'Unauthorized',
      detail: expect.any(String),
      instance: '/v1/products',
    });
    expect(await wholeTable()).toEqual(before);
  });
});

test('an uncached answer costs one read of one unit, and a write at most once an hour', async () => {
  const { key, text } = await issueKey({ store: service.store, name: 'busy', scopes, stage: 'test' });
  const start = Date.parse('2030-01-01T00:00:00.000Z');

  setClock(start);
  expect((await costOf(eventOf(aRoute, text))).calls).toBe(2);
  setClock(start + 3_599_999);
  expect(await costOf(eventOf(aRoute, text))).toEqual({ calls: 1, units: 1 });
  setClock(start + 3_600_000);
  expect((await costOf(eventOf(aRoute, text))).calls).toBe(2);

  expect((await findKey(key.id))?.lastUsedAt).toBe('2030-01-01T01:00:00.000Z');
});

test('404s from every written endpoint when the key’s store was deleted', async () => {
  const store = await createStore('Short-lived');
  const call = service.callAs(await service.keyWith(scopes, store.id));

  await deleteStore(store.id);

  for (const row of routes.filter(({ id }) => !unwritten.includes(id))) {
    const { status, body } = await call(row.method, somePath(row.path));
    expect(status, row.id).toBe(404);
    expect(Object.keys(body).sort()).toEqual(['detail', 'instance', 'status', 'title']);
  }
});

test('the policy holds for every path of the route, and for no other method', async () => {
  const row = route('products/get-product');

  const { policyDocument } = await authorizer(eventOf(row, service.key));

  expect(policyDocument.Statement).toEqual([
    {
      Action: 'execute-api:Invoke',
      Effect: 'Allow',
      Resource: 'arn:aws:execute-api:us-east-1:000000000000:api/stage/GET/v1/products/*',
    },
  ]);
});

test('a kept answer belongs to one key on one route, and ends with its time', async () => {
  let asked = 0;
  const server = createGateway({
    routes,
    handlerOf: async () => async () => ({ statusCode: 204, body: '' }),
    authorizer: (event) => {
      asked += 1;
      return authorizer(event);
    },
    authorizerTtlSeconds: 60,
    rate: 1e6,
    burst: 1e6,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const get = async (path: string, key: string) => (await fetch(base + path, { headers: { 'X-API-Key': key } })).status;
  const only = async (...of: Scope[]) => issueKey({ store: service.store, name: 'kept', scopes: of, stage: 'test' });
  const customers = await only('customers:read');
  const credits = await only('credits:read');
  const start = Date.parse('2030-01-01T00:00:00.000Z');

  try {
    setClock(start);
    expect(await get('/v1/customers/ada', customers.text)).toBe(204);
    expect(await get('/v1/customers/bob', customers.text)).toBe(204);
    expect(asked).toBe(1);

    expect(await get('/v1/customers/ada/credit', customers.text)).toBe(403);
    expect(await get('/v1/customers/ada', credits.text)).toBe(403);
    expect(asked).toBe(3);

    await revokeKey(customers.key.id);
    setClock(start + 59_999);
    expect(await get('/v1/customers/ada', customers.text)).toBe(204);
    setClock(start + 60_000);
    expect(await get('/v1/customers/ada', customers.text)).toBe(401);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
