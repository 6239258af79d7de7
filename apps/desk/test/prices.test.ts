import { expect, test } from 'vitest';
import * as service from '../../../lib/price.ts';
import { lessPercent, priceUnder } from '../prices.ts';

/** Prices and percentages of all sizes, in an order that does not repeat soon. */
const cases = Array.from({ length: 20_000 }, (_, index) => ({
  price: (index * 7919) % 1_000_003,
  percent: ((index * 104_729) % 1_000_001) / 10_000,
}));

test('the preview of a price rounds as the service does', () => {
  const differing = cases.filter(
    ({ price, percent }) => lessPercent(price, percent) !== service.lessPercent(price, percent),
  );

  expect(differing).toEqual([]);
});

const rules = {
  groupDiscount: 10,
  tiers: [
    { from: 10_000, percent: 15 },
    { from: 1000, percent: 5 },
  ],
  bonus: { percent: 2, groupPercent: 5 },
};

test.each([
  [999, false, 800, 16],
  [1000, false, 760, 15],
  [5000, true, 720, 36],
  [10_000, true, 680, 34],
  [10_000, false, 680, 13],
])('a buyer who spent %i, in the group: %s, pays %i of 800 and gets %i back', (spent, inGroup, total, bonus) => {
  expect(priceUnder(rules, 800, { spent, inGroup })).toEqual({ total, bonus });
});

test('the bonus of a preview rounds as the service does', () => {
  const differing = cases.filter(({ price, percent }) => {
    const bonusOnly = { groupDiscount: 0, tiers: [], bonus: { percent, groupPercent: 0 } };
    return priceUnder(bonusOnly, price, { spent: 0, inGroup: false }).bonus !== service.shareOf(price, percent);
  });

  expect(differing).toEqual([]);
});
