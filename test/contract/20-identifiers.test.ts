import { describe, expect, test } from 'vitest';
import { expectProblem } from './shapes.ts';
import { call, createCoupon, createProduct, get, hasResidents, nilUuid, resident, unique } from './target.ts';

/** UUIDs and usernames. Resident 55. */

describe.runIf(hasResidents)('with residents (CONTRACT_RESIDENTS)', () => {
  const { uuid, username } = resident(55);
  const path = (identifier: string) => `/v1/customers/${identifier}`;

  test('text 1: accepts a UUID in any case, and answers it in lower case', async () => {
    const { body } = await get(path(uuid.toUpperCase()));

    expect(body.uuid).toBe(uuid);
    expect((await createProduct({ image: 'ABCDEF00-0000-0000-0000-00000000000A' })).image).toBe(
      'abcdef00-0000-0000-0000-00000000000a',
    );
  });

  test.each([
    (one: string) => one.replaceAll('-', ''),
    (one: string) => `urn:uuid:${one}`,
    (one: string) => `%7B${one}%7D`,
    (one: string) => one.slice(1),
    (one: string) => `${one}0`,
    (one: string) => one.replace('-', '_'),
    (one: string) => one.replace(/^./, 'g'),
  ])('text 1: another spelling of a UUID is malformed (%#)', async (spelled) => {
    const wrong = spelled(uuid);

    // 32 digits without dashes are no username either: its first name has 31 letters at the most.
    expectProblem(await get(path(wrong)), 400, path(wrong));
  });

  test('text 4, text 5, text 6: every spelling of a username is the same resident', async () => {
    const [first = '', last = 'resident'] = username.split('.');
    const spellings = [
      `${first}.${last}`,
      `${first}%20${last}`,
      `${first}.${last}`.toUpperCase(),
      `%20%20${first}.${last}%20`,
      encodeURIComponent(`${first} ${last}`.toUpperCase()),
      `%${first.charCodeAt(0).toString(16)}${first.slice(1)}%2E${last}`,
      ...(last === 'resident' ? [first, `${first}%20Resident`] : []),
    ];

    for (const spelling of spellings)
      expect([spelling, (await get(path(spelling))).body.uuid]).toEqual([spelling, uuid]);
  });

  test('text 8: answers have the current name in canonical form, for a request by any name', async () => {
    const names = [(await get(path(uuid))).body.username, (await get(path(username.toUpperCase()))).body.username];

    expect(names).toEqual([username, username]);
    expect((await createCoupon(` ${username.toUpperCase()} `)).couponOwnerUsername).toBe(username);
  });

  test('text 18: a code has 1 to 64 characters', async () => {
    const create = (code: unknown) => call('POST', '/v1/coupons', { code, ownerIdentifier: uuid });
    const tail = unique('').trim();

    expect((await create(`${'🎁'.repeat(64 - tail.length)}${tail}`)).status).toBe(201);
    for (const code of ['x'.repeat(65), '', '   ', 5, null, 'a\nb', 'a\u0000b', '\ud800'])
      expectProblem(await create(code), 400, '/v1/coupons', [
        'code must be text of 1 to 64 characters without control characters.',
      ]);
  });
});

test.each([
  'a..b',
  '.a',
  'a.',
  'a.b.c',
  'a%20%20b',
  'a_b',
  'a-b',
  '%C3%A9',
  'x'.repeat(32),
  `a.${'x'.repeat(32)}`,
  'a%09b',
  'a+b',
  '@',
  '%20',
  'a%2Fb',
  '%00',
  'a%0A.b',
])('text 4: %s is no username', async (name) => {
  expectProblem(await get(`/v1/customers/${name}`), 400, `/v1/customers/${name}`);
});

test.each(['x'.repeat(31), `${'x'.repeat(31)}.${'y'.repeat(31)}`, '0000000000', 'X%20Y'])(
  'text 4: %s is a username',
  async (name) => {
    expect((await get(`/v1/customers/${name}`)).status).toBe(404);
  },
);

test('text 1: accepts ids in a path in any case', async () => {
  const { id } = await createProduct();

  expect((await get(`/v1/products/${id.toUpperCase()}`)).body.id).toBe(id);
  expect((await call('PUT', `/v1/products/${id.toUpperCase()}`, { name: 'Chair', price: 2 })).body).toMatchObject({
    id,
    price: 2,
  });
});

test('text 2: UUIDs of any version and variant are well-formed', async () => {
  for (const id of ['12345678-1234-0234-0234-123456789012', 'ffffffff-ffff-ffff-ffff-ffffffffffff']) {
    expect((await get(`/v1/customers/${id}`)).status).toBe(404);
    expect((await createProduct({ image: id })).image).toBe(id);
  }
});

test('text 3: the nil UUID is malformed as an identifier, and an ordinary UUID elsewhere', async () => {
  expectProblem(await get(`/v1/customers/${nilUuid}`), 400, `/v1/customers/${nilUuid}`);
  expect((await createProduct({ image: nilUuid })).image).toBe(nilUuid);
  expectProblem(await get(`/v1/products/${nilUuid}`), 404, `/v1/products/${nilUuid}`);
});
