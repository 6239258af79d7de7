import { expect, test } from 'vitest';
import type { ProductResponse, SaleResponse } from '../../client/client.ts';
import { priceLines } from '../pages/price-lines.ts';

const at = Date.parse('2030-05-10T12:00:00Z');

type Discount = ProductResponse['discount'];

/** The lines of a sale of a product, as texts. */
const linesOf = (
  base: number,
  product: { price: number; discount?: Partial<Discount> } | undefined,
  { total = base, discount = { source: 'none', percent: 0, couponId: null } }: Partial<SaleResponse> = {},
) => {
  const own = { value: 0, type: 0, startDate: null, endDate: null, ...product?.discount };
  const read = product && ({ price: product.price, discount: own } as ProductResponse);
  return priceLines({ base, total, discount, at }, read)
    .filter((line) => line !== false)
    .map(([name, amount]) => `${name}: ${amount.replaceAll('\u00a0', ' ')}`);
};

const quarter = { value: 25, type: 0, startDate: '2030-05-10T00:00:00Z', endDate: '2030-05-11T00:00:00Z' } as const;

test('a sale tells the list price, and each discount by its name', () => {
  const coupon = { source: 'coupon', percent: 10, couponId: null } as const;

  expect(linesOf(225, { price: 300, discount: quarter }, { total: 203, discount: coupon })).toEqual([
    'List price: L$ 300',
    'Discount of the product, 25 %: −L$ 75',
    'Discount of a coupon, 10 %: −L$ 22',
  ]);
  expect(linesOf(50, { price: 300, discount: { value: 250, type: 1 } })).toEqual([
    'List price: L$ 300',
    'Discount of the product: −L$ 250',
  ]);
  expect(linesOf(99, { price: 300, discount: { value: 99, type: 2 } })).toEqual([
    'List price: L$ 300',
    'Sale price of the product: −L$ 201',
  ]);
});

test.each([
  ['has no discount', 300, { price: 300 }],
  ['had not begun its discount', 225, { price: 300, discount: { ...quarter, startDate: '2030-05-10T12:00:01Z' } }],
  ['has another price since', 225, { price: 400, discount: quarter }],
  ['has another discount since', 225, { price: 300, discount: { value: 20, type: 0 as const } }],
  ['is gone', 225, undefined],
])('a sale tells the price that the product had, where it %s', (_, base, product) => {
  expect(linesOf(base, product)).toEqual([`Price: L$ ${base}`]);
});
