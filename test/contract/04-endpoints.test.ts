import { beforeAll, describe, expect, test } from 'vitest';
import { seedOverHttp } from '../support/one-of-each.ts';
import { type Endpoint, endpoints, filled, needsResident } from './endpoints.ts';
import { expectProblem, listOf, shapes } from './shapes.ts';
import {
  call,
  createCategory,
  createCoupon,
  createProduct,
  get,
  hasResidents,
  resident,
  settled,
  target,
  unique,
  unknownName,
  unknownUuid,
} from './target.ts';

/** Every endpoint: its success, and the statuses for faults of its path and body. Residents 10 and 11. */

const values: Record<string, string> = {};
beforeAll(async () => {
  if (!hasResidents) {
    values.product = (await createProduct()).id;
    values.category = (await createCategory()).id;
    return;
  }
  const [identifier, owner] = [resident(10).uuid, resident(11).uuid];
  Object.assign(values, { identifier, owner });
  Object.assign(values, await seedOverHttp(call, { code: unique('E'), owner, customer: identifier }));
  // The list of this owner needs a row.
  await createCoupon(identifier);
});

const triable = endpoints.filter((endpoint) => hasResidents || !needsResident(endpoint));

const titled = (some: readonly Endpoint[]) => some.map((each) => [`${each.method} ${each.path}`, each] as const);

/** A valid request to an endpoint, except for the given values. */
const request = ({ method, path, body }: Endpoint, wrong: Record<string, string> = {}, key = target.key) => {
  const all = { ...values, unique: unique('E'), ...wrong };
  const sent = body && JSON.parse(filled(JSON.stringify(body), { ...all, ...values }));
  return call(method, filled(path, all), sent, { key });
};
const instance = ({ path }: Endpoint, wrong: Record<string, string> = {}) => filled(path, { ...values, ...wrong });

test('endpoint rule 1: there are 35 endpoints, and each requires a key', async () => {
  const statuses: Record<string, number> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/\{\w+\}/g, unknownUuid);
    statuses[`${endpoint.method} ${endpoint.path}`] = (
      await call(endpoint.method, path, undefined, { key: '' })
    ).status;
  }

  // An unknown path is 404 before the key is checked.
  expect((await call('GET', '/v1/nothing', undefined, { key: '' })).status).toBe(404);
  expect(Object.values(statuses)).toEqual(Array(35).fill(401));
});

test.each(titled(triable))(
  'endpoint rule 2: %s answers its success status with the declared body',
  async (_, endpoint) => {
    const { status, body, headers } = await settled(
      () => request(endpoint),
      (answer) => !endpoint.list || answer.body.data.length > 0,
    );

    // Later tests need a category, and this one is deleted.
    if (endpoint.method === 'DELETE') values.category = (await createCategory()).id;
    expect(status).toBe(endpoint.status);
    if (!endpoint.shape) return expect(body).toBeUndefined();
    const shape = shapes[endpoint.shape];
    (endpoint.list ? listOf(shape) : shape).parse(body);
    if (endpoint.list) expect(body.data).not.toEqual([]);
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.has('location')).toBe(endpoint.status === 201);
  },
);

const named = triable.filter(({ path }) => path.includes('{identifier}'));
const isCouponAction = ({ path }: Endpoint) => path.endsWith('-coupon');

describe.runIf(hasResidents)('with residents (CONTRACT_RESIDENTS)', () => {
  test.each(titled(named))('statuses 1: %s is 400 for a malformed identifier', async (_, endpoint) => {
    for (const identifier of ['a..b', '%20', 'a_b', 'x'.repeat(32), 'a.b.c', '00000000-0000-0000-0000-000000000000'])
      expectProblem(await request(endpoint, { identifier }), 400, instance(endpoint, { identifier }));
  });

  test.each(titled(named))(
    'statuses 2: %s is 404 for an unknown resident, but 400 on apply and revoke',
    async (_, endpoint) => {
      const status = isCouponAction(endpoint) ? 400 : 404;

      for (const identifier of [unknownName, unknownUuid])
        expectProblem(await request(endpoint, { identifier }), status, instance(endpoint, { identifier }));
    },
  );
});

const owned = ['coupon', 'giftcard', 'product', 'category'];
const byId = titled(triable).flatMap(([title, endpoint]) =>
  owned.filter((name) => endpoint.path.includes(`{${name}}`)).map((name) => [title, name, endpoint] as const),
);

test.each(byId)(
  'statuses 4: %s is 404 on GET and 400 elsewhere for a %s that is no UUID',
  async (_, name, endpoint) => {
    const status = endpoint.method === 'GET' ? 404 : 400;

    for (const id of ['1', 'owner', `${unknownUuid}0`, `%7B${unknownUuid}%7D`, '%20', '%FF', '%zz', '%2F', "'--"]) {
      const answer = await request(endpoint, { [name]: id });
      expectProblem(answer, status, instance(endpoint, { [name]: id }));
    }
  },
);

test.each(byId)('error rule 5: %s is 404 without errors for an unknown %s', async (_, name, endpoint) => {
  for (const id of [unknownUuid, '00000000-0000-0000-0000-000000000000'])
    expectProblem(await request(endpoint, { [name]: id }), 404, instance(endpoint, { [name]: id }));
});

describe.runIf(target.otherKey)('with a key of another store (CONTRACT_OTHER_KEY)', () => {
  test.each(byId)('endpoint rule 3: %s is 404 for a %s of another store', async (_, __, endpoint) => {
    expectProblem(await request(endpoint, {}, target.otherKey), 404, instance(endpoint));
  });
});

const withBody = triable.filter(({ body }) => body);
test.each(titled(withBody))(
  'statuses 10: %s is 400 for a body that is missing, no JSON or no object',
  async (_, endpoint) => {
    const path = instance(endpoint);

    for (const body of [undefined, '', '{', '[]', 'null', '"text"', '1', "{'name': 1}"])
      expectProblem(await call(endpoint.method, path, body), 400, path, ['The body must be a JSON object.']);
  },
);

test.each(titled(withBody))('statuses 10: %s takes at most 256 KiB, with any Content-Type', async (_, endpoint) => {
  const path = instance(endpoint);
  const body = filled(JSON.stringify(endpoint.body), { ...values, unique: unique('E') });
  const headers = { 'Content-Type': 'text/plain' };

  const fits = await call(endpoint.method, path, body.padEnd(256 * 1024), { headers });
  const exceeds = await call(endpoint.method, path, body.padEnd(256 * 1024 + 1), { headers });

  expect(fits.status).toBe(endpoint.status);
  expectProblem(exceeds, 400, path, ['The body must be at most 256 KiB.']);
});

test('statuses 9: an unknown path and an unsupported path or method is 404, never 405', async () => {
  const cases = triable.flatMap((endpoint) =>
    ['PATCH', 'DELETE', 'PUT', 'POST', 'OPTIONS'].map((method) => ({ method, path: endpoint.path })),
  );
  const unsupported = cases.filter(
    ({ method, path }) => !endpoints.some((endpoint) => endpoint.method === method && endpoint.path === path),
  );

  for (const { method, path } of unsupported)
    expectProblem(await call(method, filled(path, values)), 404, filled(path, values));
  expect((await get(`${filled('/v1/products/{product}', values)}/`)).status).toBe(404);
});
