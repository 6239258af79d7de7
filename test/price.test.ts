import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { activePrice, type Discount } from '../lib/price.ts';

const at = Date.parse('2030-06-15T12:00:00.000Z');
const always = { startDate: null, endDate: null };
const percent = (value: number): Discount => ({ value, type: 0, ...always });

test('a discount begins at its start to the millisecond', () => {
  const discount = { ...percent(50), startDate: '2030-06-15T12:00:00.000Z' };

  expect(activePrice(100, discount, at - 1)).toBe(100);
  expect(activePrice(100, discount, at)).toBe(50);
});

test('a discount ends before its end to the millisecond', () => {
  const discount = { ...percent(50), endDate: '2030-06-15T12:00:00.000Z' };

  expect(activePrice(100, discount, at - 1)).toBe(50);
  expect(activePrice(100, discount, at)).toBe(100);
});

test.each([
  [1, 50, 1],
  [3, 50, 2],
  [5, 50, 3],
  [333, 50, 167],
  [1000, 33.3, 667],
  [500, 0.1, 500],
  [501, 0.1, 500],
  [250, 0.2, 250],
  [100, 100, 0],
  [100, 0, 100],
  [2_147_483_647, 0, 2_147_483_647],
  [2_147_483_647, 50, 1_073_741_824],
])('%d less %d percent is %d: halves round up', (price, value, expected) => {
  expect(activePrice(price, percent(value), at)).toBe(expected);
});

test('a percentage with one decimal is rounded as exact arithmetic rounds it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2_147_483_647 }), fc.integer({ min: 0, max: 1000 }), (price, tenths) => {
      const exact = (2n * BigInt(price) * BigInt(1000 - tenths) + 1000n) / 2000n;

      expect(activePrice(price, percent(tenths / 10), at)).toBe(Number(exact));
    }),
  );
});

test('a flat amount never leads below 0, and an amount of 0 changes nothing', () => {
  expect(activePrice(100, { value: 30, type: 1, ...always }, at)).toBe(70);
  expect(activePrice(100, { value: 101, type: 1, ...always }, at)).toBe(0);
  expect(activePrice(100, { value: 0, type: 1, ...always }, at)).toBe(100);
});

test('an override is the price, 0 and dearer ones included', () => {
  expect(activePrice(100, { value: 0, type: 2, ...always }, at)).toBe(0);
  expect(activePrice(100, { value: 150, type: 2, ...always }, at)).toBe(150);
});
