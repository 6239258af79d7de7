import { describe, expect, test } from 'vitest';
import {
  call,
  createCategory,
  createCoupon,
  createProduct,
  follow,
  get,
  hasResidents,
  inHours,
  prefix,
  resident,
  unique,
  unknownName,
  unknownUuid,
} from './target.ts';

/** The general conventions at the head of the specification. Residents 0 and 1. */

test('general 1: requests and answers are JSON', async () => {
  const name = unique('JSON é 🎁');

  const answer = await call('POST', '/v1/categories', { name });

  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(answer.body.name).toBe(name);
});

test('general 2: the key implies the store, and no path or body names another', async () => {
  const { id } = await createCategory();

  const renamed = await call('PUT', `/v1/categories/${id}?store=OtherStore01`, { name: 'Mine', store: 'OtherStore01' });

  expect((await get(`/v1/categories/${id}`)).body).toEqual(renamed.body);
});

describe.runIf(hasResidents)('with residents (CONTRACT_RESIDENTS)', () => {
  test('general 3: an identifier is a username or an avatar UUID', async () => {
    const { uuid, username } = resident(0);

    const byUuid = await get(`/v1/customers/${uuid}`);
    const byName = await get(`/v1/customers/${username}`);

    expect(byUuid.body).toMatchObject({ uuid, username });
    expect(byName.body).toEqual(byUuid.body);
  });

  test('general 7: POST /v1/coupons answers 201 with the object and a Location that resolves to it', async () => {
    const answer = await call('POST', '/v1/coupons', { code: unique('G'), ownerIdentifier: resident(0).uuid });

    expect(answer.status).toBe(201);
    expect((await follow(answer)).body).toEqual(answer.body);
  });

  test('general 6: timestamps are ISO 8601 in UTC with a trailing Z', async () => {
    const { expiration } = await createCoupon(resident(0).uuid);

    expect(expiration).toBe(new Date(expiration).toISOString());
  });
});

test('general 3: a malformed identifier is 400, an unknown one 404', async () => {
  const statuses = [];
  for (const identifier of ['a..b', 'a.b.c', unknownName, unknownUuid])
    statuses.push((await get(`/v1/customers/${identifier}`)).status);

  expect(statuses).toEqual([400, 400, 404, 404]);
});

test('general 4: ids are UUIDs, and no other text is an id', async () => {
  const { id } = await createProduct();

  expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect((await get('/v1/products/1')).status).toBe(404);
});

test.each([99.5, '100', -1, 2_147_483_648, null])(
  'general 5: a price of %j is refused: money is whole L$',
  async (price) => {
    expect((await call('POST', '/v1/products', { name: 'Chair', price })).status).toBe(400);
  },
);

test('general 6: a time with another offset comes back in UTC', async () => {
  const startDate = inHours(1);
  const shifted = `${new Date(Date.parse(startDate) + 9 * 3_600_000).toISOString().slice(0, -1)}+09:00`;

  const { discount } = await createProduct({ discount: { value: 1, type: 0, startDate: shifted } });

  expect(discount.startDate).toBe(startDate);
});

test.each([
  ['/v1/products', { name: 'Chair', price: 1 }],
  ['/v1/categories', { name: 'Seats' }],
])(
  'general 7, silent 18: POST %s answers 201 with the object and a Location that resolves to it',
  async (path, body) => {
    const answer = await call('POST', path, body);

    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe(`${prefix}${path}/${answer.body.id}`);
    expect((await follow(answer)).body).toEqual(answer.body);
    expect(answer.body).toMatchObject(body);
  },
);
