import { describe, expect, test } from 'vitest';
import { expectProblem } from './shapes.ts';
import {
  call,
  createCategory,
  createCoupon,
  createProduct,
  get,
  hasResidents,
  inHours,
  nilUuid,
  resident,
  unique,
} from './target.ts';

/** Identifiers, text, numbers and times. Resident 55. */

describe.runIf(hasResidents)('with residents (CONTRACT_RESIDENTS)', () => {
  const { uuid, username } = resident(55);
  const path = (identifier: string) => `/v1/customers/${identifier}`;

  test('text 1: a UUID is taken in any case and answered in lower case', async () => {
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

  test('text 8: answers carry the current name in canonical form, whichever was asked for', async () => {
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

test('text 1: ids in a path are taken in any case', async () => {
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

test('text 3: the nil UUID is malformed as an identifier, and a UUID like any other elsewhere', async () => {
  expectProblem(await get(`/v1/customers/${nilUuid}`), 400, `/v1/customers/${nilUuid}`);
  expect((await createProduct({ image: nilUuid })).image).toBe(nilUuid);
  expectProblem(await get(`/v1/products/${nilUuid}`), 404, `/v1/products/${nilUuid}`);
});

const refused = async (fields: object): Promise<void> =>
  expectProblem(await call('POST', '/v1/products', { name: 'Chair', price: 1, ...fields }), 400, '/v1/products', [
    expect.any(String),
  ]);

test.each(['1', 1.5, -1, 2_147_483_648, 1e300, true, [1], {}])(
  'text 12, text 13: the whole number %j is 400',
  async (value) => {
    await refused({ price: value });
    await refused({ availableAmount: value });
  },
);

test('text 12: the largest whole number is 2 147 483 647, and 1.0 and 1e2 are whole', async () => {
  expect((await createProduct({ price: 2_147_483_647 })).price).toBe(2_147_483_647);
  const { body } = await call('POST', '/v1/products', '{"name":"Chair","price":1e2,"availableAmount":1.0}');
  expect(body).toMatchObject({ price: 100, availableAmount: 1 });
});

test.each(['true', 1, 0, 'yes', []])('text 13: the flag %j is 400', async (value) => {
  await refused({ bloggable: value });
});

const startOf = async (startDate: string) =>
  (await createProduct({ discount: { value: 1, startDate } })).discount.startDate;
test.each([
  ['text 15', '2030-01-31T12:00:00Z', '2030-01-31T12:00:00.000Z'],
  ['text 15', '2030-01-31T12:00:00.5Z', '2030-01-31T12:00:00.500Z'],
  ['text 15', '2030-01-01T00:30:00+01:00', '2029-12-31T23:30:00.000Z'],
  ['text 15', '2030-01-31T12:00:00-05:30', '2030-01-31T17:30:00.000Z'],
  ['text 15', '2032-02-29T00:00:00Z', '2032-02-29T00:00:00.000Z'],
  ['silent 4', '2030-01-31T12:00:00+02', '2030-01-31T10:00:00.000Z'],
  ['silent 4', '2030-01-31T12:00:00+0200', '2030-01-31T10:00:00.000Z'],
  ['silent 4', '2030-01-31T12:00Z', '2030-01-31T12:00:00.000Z'],
  ['silent 5', '2030-01-31T12:00:00.123987Z', '2030-01-31T12:00:00.123Z'],
  ['silent 5', '2030-01-31T23:59:59.9999999Z', '2030-01-31T23:59:59.999Z'],
  ['silent 6', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['silent 6', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
])('%s: the time %s is answered as %s', async (_, sent, answered) => {
  expect(await startOf(sent)).toBe(answered);
});

test.each([
  ['text 15', '2030-01-31T12:00:00'],
  ['text 15', '2030-01-31'],
  ['text 15', '2030-01-31 12:00:00Z'],
  ['text 15', ' 2030-01-31T12:00:00Z'],
  ['text 15', '31.01.2030'],
  ['text 15', '1900000000'],
  ['silent 6', '0001-01-01T00:00:00+01:00'],
  ['silent 6', '9999-12-31T23:59:59-01:00'],
  ['silent 6', '10000-01-01T00:00:00Z'],
  ['silent 7', '2030-02-30T00:00:00Z'],
  ['silent 7', '2031-02-29T00:00:00Z'],
  ['silent 7', '2030-06-30T23:59:60Z'],
  ['silent 7', '2030-01-31T24:00:00Z'],
])('%s: the time %s is 400', async (_, startDate) => {
  await refused({ discount: { value: 1, startDate } });
});

test('text 16: a time that has just passed is in the past', async () => {
  const product = await createProduct({
    price: 10,
    discount: { value: 5, type: 1, startDate: inHours(-1), endDate: inHours(-1 / 60) },
  });

  expect(product.activePrice).toBe(10);
});

test('text 19, silent 1: names have 1 to 255 characters, an emoji being one', async () => {
  const item = 'Thing';

  expect((await createCategory('🎁'.repeat(255))).name).toBe('🎁'.repeat(255));
  expect((await createProduct({ name: '🎁'.repeat(255), item })).name).toBe('🎁'.repeat(255));
  for (const name of ['x'.repeat(256), '', ' \t ', '🎁'.repeat(256)]) {
    expect((await call('POST', '/v1/categories', { name })).status).toBe(400);
    await refused({ name, item });
  }
});

test('text 20: a description has at most 4096 characters', async () => {
  const longest = `${'é'.repeat(4094)}\n.`;

  expect((await createProduct({ description: longest })).description).toBe(longest);
  await refused({ description: 'x'.repeat(4097) });
});

test('text 24: surrounding blanks are trimmed', async () => {
  expect((await createCategory(' \u00a0 Seats \t')).name).toBe('Seats');
  expect((await createProduct({ description: '\n two  blanks \n' })).description).toBe('two  blanks');
});

test('text 25: control characters are refused; a description may hold tabs and line ends', async () => {
  const fits = 'a\tb\r\nc';
  expect((await createProduct({ description: fits })).description).toBe(fits);

  for (const control of ['\u0000', '\u0007', '\u001b', '\u007f', '\u0085', '\u009f']) {
    await refused({ description: `a${control}b` });
    await refused({ name: `a${control}b`, item: 'Thing' });
  }
  for (const control of ['\t', '\n', '\r']) await refused({ name: `a${control}b`, item: 'Thing' });
});

test('silent 2: a lone surrogate is refused', async () => {
  for (const lone of ['"\\ud800"', '"a\\udc00b"'])
    expect((await call('POST', '/v1/categories', `{"name":${lone}}`)).status).toBe(400);
  expect((await call('POST', '/v1/categories', '{"name":"\\ud83c\\udf81"}')).body.name).toBe('🎁');
});

test('silent 3: a percentage under 0.000000001 counts as 0', async () => {
  expect((await createProduct({ discount: { value: 1e-10 } })).discount.value).toBe(0);
});
