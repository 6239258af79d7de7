import { expect, test } from 'vitest';
import { expectProblem } from './shapes.ts';
import { call, createProduct, inHours } from './target.ts';

/** A product's discount, and its price with it. */

const refused = async (fields: object, errors?: unknown[]): Promise<void> =>
  expectProblem(
    await call('POST', '/v1/products', { name: 'Chair', price: 1, ...fields }),
    400,
    '/v1/products',
    errors,
  );

test('silent 11, silent 12: missing members of permissions and discount get their defaults', async () => {
  const product = await createProduct({ permissions: { transfer: true }, discount: { value: 5 } });

  expect(product.permissions).toEqual({ copy: true, modify: false, transfer: true });
  expect(product.discount).toEqual({ value: 5, type: 0, startDate: null, endDate: null });
});

test.each([3, -1, 0.5, '0', null])('catalogue 1: a discount of type %j is 400', async (type) => {
  const asNull = type === null ? ', not null: leave it out' : '';

  await refused({ discount: { value: 1, type } }, [
    `discount.type must be 0 (percent), 1 (flat amount off) or 2 (override price)${asNull}.`,
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

test('catalogue 4: a product without a discount has value 0 of type 0 without dates', async () => {
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
