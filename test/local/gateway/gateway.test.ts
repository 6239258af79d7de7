import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { source } from '../../../lib/clock.ts';
import { pageUsageKeyOf, usageKeyOf } from '../../../lib/http/usage-key.ts';
import { routes } from '../../../lib/routes/routes.ts';
import { createGateway, type GatewayOptions } from '../../../local/gateway/gateway.ts';
import { type Resource, templateOf } from '../../support/stack.ts';

let close = (): void => {};
afterEach(() => close());

const start = async (
  options: Partial<GatewayOptions>,
): Promise<(path: string, init?: RequestInit) => Promise<Response>> => {
  const server = createGateway({
    routes,
    handlerOf: async () => async () => ({ statusCode: 200, headers: {}, body: '{}' }),
    authorizer: async ({ methodArn }) => ({
      principalId: 'k',
      usageIdentifierKey: 'a store',
      policyDocument: { Version: '2012-10-17', Statement: [{ Action: 'x', Effect: 'Allow', Resource: methodArn }] },
    }),
    authorizerTtlSeconds: 0,
    rate: 1e6,
    burst: 1e6,
    ...options,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  close = () => server.close();
  const { port } = server.address() as AddressInfo;
  return (path, init) => fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'X-API-Key': 'k' }, ...init });
};

test('429s with Retry-After past the burst', async () => {
  const get = await start({ rate: 0.1, burst: 2 });

  const answers = [await get('/v1/products'), await get('/v1/products'), await get('/v1/products')];

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  expect(answers[2]?.headers.get('retry-after')).toBe('1');
  expect(await answers[2]?.json()).toMatchObject({ status: 429, title: 'Too Many Requests', instance: '/v1/products' });
});

test('a store that sends its whole burst to one endpoint and more leaves another store its own there', async () => {
  // The numbers of the template, without the rates: nothing comes back within the test.
  const plan = templateOf().ofType('AWS::ApiGateway::UsagePlan')[0]?.[1].Properties.Throttle;
  const [ofAll] = templateOf()
    .only('AWS::ApiGateway::Stage')
    .MethodSettings.filter(({ ResourcePath }: Resource) => ResourcePath === '/*');
  const get = await start({
    rate: 1e-6,
    burst: ofAll.ThrottlingBurstLimit,
    storeLimit: { rate: 1e-6, burst: plan.BurstLimit },
    authorizer: async ({ methodArn, headers }) => ({
      principalId: 'k',
      usageIdentifierKey: headers?.['x-api-key'] ?? '',
      policyDocument: { Version: '2012-10-17', Statement: [{ Action: 'x', Effect: 'Allow', Resource: methodArn }] },
    }),
  });
  const sell = async (store: string, count: number): Promise<number[]> => {
    const answers: number[] = [];
    for (let i = 0; i < count; i++)
      answers.push((await get('/v1/sales', { method: 'POST', headers: { 'X-API-Key': store } })).status);
    return answers;
  };

  const wild = await sell('wild', plan.BurstLimit + 20);
  const other = await sell('other', plan.BurstLimit);
  const elsewhere = await get('/v1/products', { headers: { 'X-API-Key': 'wild' } });

  expect(wild.filter((status) => status === 200)).toHaveLength(plan.BurstLimit);
  expect(wild.slice(plan.BurstLimit)).toEqual(Array(20).fill(429));
  expect(other).toEqual(Array(plan.BurstLimit).fill(200));
  // The plan counts the calls of all endpoints.
  expect(elsewhere.status).toBe(429);
});

test('a page that calls without end leaves the store, its desk and another page of it their calls', async () => {
  const keyOf: Record<string, string> = {
    wild: pageUsageKeyOf('PageOne'),
    other: pageUsageKeyOf('PageTwo'),
    vendor: usageKeyOf('Store'),
  };
  const get = await start({
    rate: 1e-6,
    burst: 10_000,
    storeLimit: { rate: 1e-6, burst: 100 },
    pageLimit: { rate: 1e-6, burst: 60 },
    authorizer: async ({ methodArn, headers }) => ({
      principalId: 'k',
      usageIdentifierKey: keyOf[headers?.['x-api-key'] ?? ''] ?? '',
      policyDocument: { Version: '2012-10-17', Statement: [{ Action: 'x', Effect: 'Allow', Resource: methodArn }] },
    }),
  });
  const call = async (key: string, count: number, method = 'GET', path = '/v1/me'): Promise<number[]> => {
    const answers: number[] = [];
    for (let i = 0; i < count; i++) answers.push((await get(path, { method, headers: { 'X-API-Key': key } })).status);
    return answers;
  };

  const wild = await call('wild', 200);

  expect(wild.filter((status) => status === 200)).toHaveLength(60);
  expect(new Set(await call('other', 30))).toEqual(new Set([200]));
  expect(new Set(await call('vendor', 50, 'POST', '/v1/sales'))).toEqual(new Set([200]));
  expect(new Set(await call('vendor', 50, 'GET', '/v1/products'))).toEqual(new Set([200]));
});

test('413s for a body over 10 MB, as problem+json', async () => {
  const get = await start({});

  const large = await get('/v1/products', { method: 'POST', body: 'x'.repeat(10 * 1024 * 1024 + 1) });

  expect([large.status, large.headers.get('content-type')]).toEqual([413, 'application/problem+json']);
});

test('caches the authorizer’s answer per key and route until it expires', async () => {
  let asked = 0;
  const get = await start({
    authorizerTtlSeconds: 60,
    authorizer: async ({ methodArn }) => {
      asked += 1;
      const Resource = `${methodArn.split('/').slice(0, 5).join('/')}*`;
      return {
        principalId: 'k',
        usageIdentifierKey: 'a store',
        policyDocument: { Version: '2012-10-17', Statement: [{ Action: 'x', Effect: 'Allow', Resource }] },
      };
    },
  });
  const at = Date.parse('2027-01-01T00:00:00.000Z');
  source.now = () => at;
  const count = async (path: string, key = 'k', method = 'GET'): Promise<number> => {
    await get(path, { method, headers: { 'X-API-Key': key } });
    return asked;
  };

  expect(await count('/v1/products/1')).toBe(1);
  expect(await count('/v1/products/2')).toBe(1);
  expect(await count('/v1/products/2', 'other')).toBe(2);
  expect(await count('/v1/products/2', 'k', 'PUT')).toBe(3);
  expect(await count('/v1/categories/2')).toBe(4);
  source.now = () => at + 59_999;
  expect(await count('/v1/products/3')).toBe(4);
  source.now = () => at + 60_000;
  expect(await count('/v1/products/3')).toBe(5);
});

test('503s without the reason when a function or the authorizer crashes', async () => {
  const broken = (): Promise<never> => Promise.reject(new Error('secret'));
  const get = await start({ handlerOf: async () => broken });
  const first = await get('/v1/products');
  close();
  const second = await (await start({ authorizer: broken }))('/v1/products');

  for (const answer of [first, second]) {
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await answer.text()).not.toContain('secret');
  }
});

test.each<[accepted: string, bytes: number, coding: string | null]>([
  ['gzip, deflate, br', 16_384, 'gzip'],
  ['deflate', 16_384, 'deflate'],
  ['gzip;q=0.5, deflate', 20_000, 'deflate'],
  ['gzip', 16_383, null],
  ['br, gzip', 20_000, null],
  ['gzip;q=0', 20_000, null],
  ['identity', 20_000, null],
  ['', 20_000, null],
])('for “%s” an answer of %i bytes has the coding %s', async (accepted, bytes, coding) => {
  const body = 'x'.repeat(bytes);
  const get = await start({ handlerOf: async () => async () => ({ statusCode: 200, headers: {}, body }) });

  const answer = await get('/v1/products', { headers: { 'X-API-Key': 'k', 'Accept-Encoding': accepted } });

  expect(answer.headers.get('content-encoding')).toBe(coding);
  expect(await answer.text()).toBe(body);
});
