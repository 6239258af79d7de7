import { describe, expect, test } from 'vitest';
import { expectProblem } from './shapes.ts';
import { call, createProduct, get, hasResidents, nilUuid, resident, unknownName, unknownUuid } from './target.ts';

/** The fields of a product and their defaults. Residents 42 and 43. */

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

test('defaults 8: a replacement sets missing fields to the same defaults', async () => {
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

test('defaults 8: listed is true by default', async () => {
  const { id } = await createProduct({ listed: false });
  await call('PUT', `/v1/products/${id}`, { name: `Listed ${id}`, price: 1 });

  const { body } = await get(`/v1/products?listed=true&search=${id}`);

  expect(body.data.map((row: { id: string }) => row.id)).toEqual([id]);
});

test.each(['Éclair', 'a|b', 'x'.repeat(64), 'Tea 🎁'])(
  'defaults 8: a product needs an item if its name %j is no valid item name',
  async (name) => {
    await refused({ name }, [expect.stringMatching(/^item is required here/)]);
    expect((await createProduct({ name, item: 'Tea' })).item).toBe('Tea');
  },
);

test.each(['a|b', 'é', 'a\tb', 'x'.repeat(64), '', ' ', 5, null])('text 21: an item %j is 400', async (item) => {
  const asNull = item === null ? ', not null: leave it out' : '';

  await refused({ item }, [`item must be 1 to 63 printable ASCII characters without |${asNull}.`]);
});

test('text 21: an item of 63 printable characters is taken', async () => {
  expect((await createProduct({ item: `~ ${'x'.repeat(61)}` })).item).toHaveLength(63);
});

test('defaults 11, defaults 14, defaults 15, catalogue 12: ignores id, mpListing and activePrice in a request', async () => {
  const wish = { id: unknownUuid, mpListing: 77, activePrice: 1 };
  const product = await createProduct(wish);

  const { body } = await call('PUT', `/v1/products/${product.id}`, { ...product, ...wish });

  expect(product.id).not.toBe(unknownUuid);
  expect(product).toMatchObject({ mpListing: 0, activePrice: 100 });
  expect(body).toEqual(product);
});

test('silent 13: only demoId and the dates of a discount may be null', async () => {
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

test('statuses 3: a malformed or unknown user of a profit share is 400', async () => {
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
