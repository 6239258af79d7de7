import { expect, test } from 'vitest';
import { activePrice, type Discount } from '../../lib/price.ts';

const at = Date.parse('2027-01-01T00:00:00.000Z');
const discount = (type: 0 | 1 | 2, value: number, more: Partial<Discount> = {}): Discount => ({
  type,
  value,
  startDate: null,
  endDate: null,
  ...more,
});

test.each([
  [100, 0, 0, 100],
  [100, 0, 50, 50],
  [101, 0, 50, 51],
  [333, 0, 50, 167],
  [50, 0, 33, 34],
  [500, 0, 0.1, 500],
  [1000, 0, 33.3, 667],
  [5, 0, 100, 0],
  [2_147_483_647, 0, 0.000001, 2_147_483_626],
  [2_000_000_000, 0, 99.9999999, 2],
  [1_000_000_000, 0, 0.0000005, 999_999_995],
  [100, 1, 0, 100],
  [100, 1, 30, 70],
  [100, 1, 300, 0],
  [100, 2, 0, 0],
  [100, 2, 250, 250],
] as const)('a price of %d under type %d, value %d is %d', (price, type, value, expected) => {
  expect(activePrice(price, discount(type, value), at)).toBe(expected);
});

test('a discount runs from the millisecond of its start to the one before its end', () => {
  const window = discount(2, 1, { startDate: '2027-01-01T00:00:00.000Z', endDate: '2027-01-01T00:00:01.000Z' });

  expect([-1, 0, 999, 1000].map((millis) => activePrice(9, window, at + millis))).toEqual([9, 1, 1, 9]);
  expect(activePrice(9, { ...window, startDate: null }, 0)).toBe(1);
  expect(activePrice(9, { ...window, endDate: null }, at * 2)).toBe(1);
});
