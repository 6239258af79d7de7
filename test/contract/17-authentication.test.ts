import { describe, expect, test } from 'vitest';
import { endpoints, filled } from './endpoints.ts';
import { expectProblem } from './shapes.ts';
import { act, call, hasResidents, prefix, resident, statusOf, target, unknownUuid } from './target.ts';

/** Keys and scopes. The layers before the endpoint answer, so the rows that the paths name need not exist. */

const all = endpoints.map((endpoint) => {
  const values = Object.fromEntries(['coupon', 'giftcard', 'product', 'category'].map((name) => [name, unknownUuid]));
  const path = filled(endpoint.path, { ...values, identifier: unknownUuid });
  return [`${endpoint.method} ${endpoint.path}`, path, endpoint] as const;
});

/** A body that every endpoint with a body would refuse. */
const brokenBody = (method: string): string | undefined => (method === 'GET' ? undefined : '{');

test.each(all)(
  'authentication rule 1, statuses 6: %s is 401 without a key, with an empty and with an unknown one',
  async (_, path, { method }) => {
    const other = `sis_test_${'A'.repeat(12)}_${'B'.repeat(49)}`;

    for (const key of ['', 'x', 'null', `Bearer ${target.key}`, other])
      expectProblem(await call(method, path, undefined, { key }), 401, path);
  },
);

test('authentication rule 1: the header’s name may have any case', async () => {
  const response = await fetch(`${target.baseUrl}/v1/products?limit=1`, { headers: { 'x-api-KEY': target.key } });

  expect(response.status).toBe(200);
});

test('authentication rule 1: only the header can carry the key', async () => {
  for (const query of [`?X-API-Key=${target.key}`, `?api_key=${target.key}`]) {
    const response = await fetch(`${target.baseUrl}/v1/products${query}`, {
      headers: { Authorization: `Bearer ${target.key}` },
    });
    expect(response.status).toBe(401);
  }
});

test('statuses 6: a key that is sent more than once is 401, the same key twice too', async () => {
  const statusWith = (keys: string[]) => statusOf('/v1/products?limit=1', { 'X-API-Key': keys });

  expect(await statusWith([target.key])).toBe(200);
  expect(await statusWith([target.key, target.key])).toBe(401);
  expect(await statusWith([target.key, ''])).toBe(401);
});

test('statuses 6, silent 30: a key with one changed, added or missing character is 401', async () => {
  const { key } = target;
  const changed = [0, 4, 9, 15, 21, 22, 40, 64, 65, 70].map(
    (at) => key.slice(0, at) + (key[at] === 'a' ? 'b' : 'a') + key.slice(at + 1),
  );

  for (const other of [...changed, key.slice(0, -1), `${key}A`, key.toUpperCase(), key.toLowerCase()])
    expect((await call('GET', '/v1/products', undefined, { key: other })).status).toBe(401);
});

test('silent 30: a key has the documented form', () => {
  expect(target.key).toMatch(/^sis_(?:live|test)_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/);
});

test('authentication rule 3: 401 and 403 come before the faults of the request', async () => {
  expectProblem(await call('POST', '/v1/products', '{', { key: 'x' }), 401, '/v1/products');
  expectProblem(await call('GET', '/v1/products?limit=0', undefined, { key: 'x' }), 401, '/v1/products');
});

describe.runIf(target.narrowKey)('with a key that has products:read alone (CONTRACT_READ_KEY)', () => {
  test.each(all)(
    'authentication rule 2, statuses 7: %s is 403 without its scope',
    async (_, path, { method, scope }) => {
      const answer = await call(method, path, brokenBody(method), { key: target.narrowKey });

      if (scope === 'products:read') expect([200, 404]).toContain(answer.status);
      else expectProblem(answer, 403, path);
    },
  );
});

describe.runIf(target.scopeKeys)('on the local service, which has a key for each scope', () => {
  const single = target.scopeKeys ?? {};

  test('authentication rule 2: there are these 14 scopes', () => {
    expect(Object.keys(single).sort()).toEqual([...new Set(endpoints.map(({ scope }) => scope))].sort());
    expect(Object.keys(single)).toHaveLength(14);
  });

  test.each(all)(
    'authentication rule 2: %s accepts its scope and no other',
    async (_title, path, { method, scope }) => {
      const open = [];
      for (const [name, key] of Object.entries(single)) {
        const { status } = await call(method, path, brokenBody(method), { key });
        if (status !== 403) open.push(name);
      }

      expect(open).toEqual([scope]);
    },
  );
});

describe.runIf(hasResidents && target.otherKey)('with a key of another store (CONTRACT_OTHER_KEY)', () => {
  test('general 2, text 9: a store does not see another store’s data about a customer', async () => {
    const path = `/v1/customers/${resident(51).uuid}`;
    const before = (await call('GET', path, undefined, { key: target.otherKey })).body;
    expect(before).toMatchObject(resident(51));

    await call('PUT', path, { discount: 77, newsSubscriber: true });
    await act(resident(51).uuid, 'set-credit', { credit: 777 });

    expect((await call('GET', path, undefined, { key: target.otherKey })).body).toEqual(before);
  });
});

test('versioning rule 1: every path begins with /v1', async () => {
  // Not '/': the local service leads to its desk there.
  for (const path of ['/products', '/v2/products', '/V1/products', '/v1', '/v1/', '//v1/products'])
    expect((await fetch(target.baseUrl + path, { headers: { 'X-API-Key': target.key } })).status).toBe(404);
  expect(endpoints.every(({ path }) => path.startsWith('/v1/'))).toBe(true);
  expect(prefix).not.toContain('/v1');
});
