import { describe, expect, test } from 'vitest';
import { expectProblem } from './shapes.ts';
import {
  call,
  createProduct,
  get,
  hasResidents,
  inHours,
  nilUuid,
  resident,
  unknownName,
  unknownUuid,
} from './target.ts';

/** What a product's fields may be, their defaults, and the price with a discount. Residents 42 and 43. */

const refused = async (fields: object, errors?: unknown[]): Promise<void> =>
  expectProblem(
    await call('POST', '/v1/products', { name: 'Chair', price: 1, ...fields }),
    400,
    '/v1/products',
    errors,
  );

test('defaults 8: a product needs a name and a price; the rest has defaults', async () => {
  const { id, ...product } = (await call('POST', '/v1/products', { name: 'Chair', price: 100 })).body;

  expect(product).toEqual({
    name: 'Chair',
    price: 100,
    activePrice: 100,
    image: nilUuid,
    bloggable: false,
    active: true,
    blockCredits: false,
    item: 'Chair',
    limited: false,
    availableAmount: 0,
    permissions: { copy: true, modify: false, transfer: false },
    discount: { value: 0, type: 0, startDate: null, endDate: null },
    description: '',
    demoId: null,
    mpListing: 0,
    profitShares: [],
  });
  expectProblem(await call('POST', '/v1/products', {}), 400, '/v1/products', [
    expect.stringMatching(/^name is required/),
    expect.stringMatching(/^price is required/),
  ]);
});

test('defaults 8: a replacement sets what is left out to the same defaults', async () => {
  const plain = await createProduct();
  const full = { bloggable: true, description: 'x', limited: true, availableAmount: 4, permissions: { modify: true } };
  const product = await createProduct({
    ...full,
    blockCredits: true,
    item: 'Other',
    image: unknownUuid,
    demoId: plain.id,
  });

  const { body } = await call('PUT', `/v1/products/${product.id}`, { name: plain.name, price: plain.price });

  expect(body).toEqual({ ...plain, id: product.id });
});

test('defaults 8: listed is true where it is left out', async () => {
  const { id } = await createProduct({ listed: false });
  await call('PUT', `/v1/products/${id}`, { name: `Listed ${id}`, price: 1 });

  const { body } = await get(`/v1/products?listed=true&search=${id}`);

  expect(body.data.map((row: { id: string }) => row.id)).toEqual([id]);
});

test.each(['Éclair', 'a|b', 'x'.repeat(64), 'Tea 🎁'])(
  'defaults 8: a name %j that is no item name needs an item',
  async (name) => {
    await refused({ name }, [expect.stringMatching(/^item is required here/)]);
    expect((await createProduct({ name, item: 'Tea' })).item).toBe('Tea');
  },
);

test.each(['a|b', 'é', 'a\tb', 'x'.repeat(64), '', ' ', 5, null])('text 21: an item %j is 400', async (item) => {
  await refused({ item }, ['item must be 1 to 63 printable ASCII characters without |.']);
});

test('text 21: an item of 63 printable characters is taken', async () => {
  expect((await createProduct({ item: `~ ${'x'.repeat(61)}` })).item).toHaveLength(63);
});

test('defaults 11, defaults 14, defaults 15, catalogue 12: id, mpListing and activePrice are not taken from a request', async () => {
  const wish = { id: unknownUuid, mpListing: 77, activePrice: 1 };
  const product = await createProduct(wish);

  const { body } = await call('PUT', `/v1/products/${product.id}`, { ...product, ...wish });

  expect(product).toMatchObject({ mpListing: 0, activePrice: 100 });
  expect(body).toEqual(product);
});

test('silent 11, silent 12: members left out of permissions and discount have their defaults', async () => {
  const product = await createProduct({ permissions: { transfer: true }, discount: { value: 5 } });

  expect(product.permissions).toEqual({ copy: true, modify: false, transfer: true });
  expect(product.discount).toEqual({ value: 5, type: 0, startDate: null, endDate: null });
});

test('silent 13: null is taken for demoId and the dates of a discount, and for nothing else', async () => {
  const discount = { value: 1, type: 0, startDate: null, endDate: null };
  expect((await createProduct({ demoId: null, discount })).demoId).toBeNull();

  for (const field of [
    'name',
    'price',
    'image',
    'listed',
    'permissions',
    'discount',
    'description',
    'profitShares',
    'item',
    'active',
  ])
    await refused({ [field]: null }, [expect.stringMatching(new RegExp(`^${field} `))]);
});

test.each([3, -1, 0.5, '0', null])('catalogue 1: a discount of type %j is 400', async (type) => {
  await refused({ discount: { value: 1, type } }, [
    'discount.type must be 0 (percent), 1 (flat amount off) or 2 (override price).',
  ]);
});

test.each([
  [0, 101],
  [0, -1],
  [0, '5'],
  [1, 1.5],
  [1, -1],
  [2, 0.5],
  [2, 2_147_483_648],
])('silent 14: a discount of type %i and value %j is 400', async (type, value) => {
  await refused({ discount: { value, type } }, [expect.stringMatching(/^discount\.value must be/)]);
});

test.each(['2030-01-01', 'tomorrow', 0, '2030-02-30T00:00:00Z', '2030-01-01T00:00:00'])(
  'catalogue 2: a startDate %j is 400',
  async (startDate) => {
    await refused({ discount: { value: 1, startDate } }, [
      expect.stringMatching(/^discount\.startDate must be an ISO 8601/),
    ]);
  },
);

test('catalogue 3: an endDate that is not later than startDate is 400', async () => {
  const startDate = '2030-01-01T12:00:00Z';

  for (const endDate of [startDate, '2030-01-01T13:00:00+01:00', '2029-01-01T00:00:00Z'])
    await refused({ discount: { value: 1, startDate, endDate } }, ['discount.endDate must be later than startDate.']);
});

test('catalogue 4: no discount is answered as value 0 of type 0 without dates', async () => {
  expect((await createProduct({ discount: {} })).discount).toEqual({
    value: 0,
    type: 0,
    startDate: null,
    endDate: null,
  });
});

const hour = (hours: number | null): string | null => (hours === null ? null : inHours(hours));
test.each([
  ['catalogue 6', 'a half is rounded up', 333, 0, 50, null, null, 167],
  ['catalogue 6', 'a half is rounded up', 5, 0, 10, null, null, 5],
  ['catalogue 6', 'less than a half is rounded down', 99, 0, 33.3, null, null, 66],
  ['catalogue 6', 'a percentage is taken as written, not as a binary fraction', 1000, 0, 0.05, null, null, 1000],
  ['catalogue 6', 'the whole price', 2_147_483_647, 0, 100, null, null, 0],
  ['catalogue 6', 'a large price', 2_147_483_647, 0, 50, null, null, 1_073_741_824],
  ['catalogue 5', 'a value of 0', 100, 0, 0, null, null, 100],
  ['catalogue 5', 'a value of 0', 100, 1, 0, null, null, 100],
  ['catalogue 5', 'an override of 0 is free', 100, 2, 0, null, null, 0],
  ['catalogue 5', 'an override may be more than the price', 100, 2, 150, null, null, 150],
  ['catalogue 7', 'never below 0', 100, 1, 150, null, null, 0],
  ['catalogue 7', 'a flat amount', 100, 1, 30, null, null, 70],
  ['catalogue 2', 'runs from its start', 100, 1, 30, -1, null, 70],
  ['catalogue 2', 'runs to its end', 100, 1, 30, null, 1, 70],
  ['catalogue 2', 'runs between both', 100, 1, 30, -1, 1, 70],
  ['catalogue 5', 'has not begun', 100, 2, 30, 1, null, 100],
  ['catalogue 5', 'is over', 100, 0, 30, -2, -1, 100],
] as const)('%s: of a discount, %s', async (_, __, price, type, value, start, end, activePrice) => {
  const discount = { type, value, startDate: hour(start), endDate: hour(end) };

  const product = await createProduct({ price, discount });

  expect(product).toMatchObject({ price, activePrice, discount });
});

test('catalogue 8: no combination of permissions is refused', async () => {
  for (const bits of [0, 1, 2, 3, 4, 5, 6, 7]) {
    const permissions = { copy: (bits & 1) > 0, modify: (bits & 2) > 0, transfer: (bits & 4) > 0 };
    expect((await createProduct({ permissions })).permissions).toEqual(permissions);
  }
  await refused({ permissions: { copy: 1 } }, ['permissions.copy must be true or false.']);
});

describe.runIf(hasResidents)('with residents (CONTRACT_RESIDENTS)', () => {
  const [first, second] = [resident(42), resident(43)];

  test('catalogue 9: each percent is over 0, the sum at most 100, and a user has one row', async () => {
    const share = (userUuid: string, percent: unknown) => ({ userUuid, percent });

    for (const percent of [0, -5, '5', null, undefined])
      await refused({ profitShares: [share(first.uuid, percent)] }, [
        expect.stringMatching(/^profitShares\[0\]\.percent /),
      ]);
    await refused({ profitShares: [share(first.uuid, 60), share(second.uuid, 41)] }, [
      'profitShares must add up to at most 100 percent.',
    ]);
    await refused({ profitShares: [share(first.uuid, 1), { username: first.username.toUpperCase(), percent: 1 }] });
    const shares = [share(first.uuid, 33.3), share(second.uuid, 66.7)];
    expect((await createProduct({ profitShares: shares })).profitShares).toEqual(shares);
  });

  test('silent 15: a share may name its user by both, if they are the same resident', async () => {
    const both = { username: first.username, userUuid: first.uuid, percent: 5 };

    expect((await createProduct({ profitShares: [both] })).profitShares).toEqual([
      { userUuid: first.uuid, percent: 5 },
    ]);
    await refused({ profitShares: [{ ...both, userUuid: second.uuid }] });
    await refused({ profitShares: [{ percent: 5 }] }, [expect.stringContaining('must name its user')]);
  });
});

test('silent 49: a product has at most 100 profit shares', async () => {
  const shares = (count: number) => Array.from({ length: count }, (_, i) => ({ username: `nobody${i}`, percent: 0.5 }));

  await refused({ profitShares: shares(101) }, ['profitShares must be an array of at most 100 shares.']);
  expect(
    (await call('POST', '/v1/products', { name: 'Chair', price: 1, profitShares: shares(100) })).body.errors,
  ).toHaveLength(100);
});

test('statuses 3: the user of a profit share who is malformed or nobody is 400', async () => {
  for (const user of [
    { username: 'a..b' },
    { username: unknownName },
    { userUuid: unknownUuid },
    { userUuid: nilUuid },
    { userUuid: 5 },
  ])
    await refused({ profitShares: [{ ...user, percent: 5 }] });
});

test('catalogue 10: a demo is another product of the store', async () => {
  const demo = await createProduct({ active: false });
  const product = await createProduct({ demoId: demo.id.toUpperCase() });
  const path = `/v1/products/${product.id}`;

  expect(product.demoId).toBe(demo.id);
  expectProblem(await call('PUT', path, { name: 'Self', price: 1, demoId: product.id }), 400, path);
  await refused({ demoId: unknownUuid });
  await refused({ demoId: 'x' }, ['demoId must be a UUID.']);
});

test('catalogue 11: GET by id answers an inactive product', async () => {
  const product = await createProduct({ active: false });

  expect((await get(`/v1/products/${product.id}`)).body).toEqual(product);
});
