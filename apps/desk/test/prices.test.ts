import { expect, test } from 'vitest';
import { priceUnder } from '../prices.ts';

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
