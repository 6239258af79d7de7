import { expect, test } from 'vitest';
import type { SaleResponse } from '../../client/client.ts';
import { bestProducts, monthBefore, monthByDay, type NewestSales, spansOf } from '../sums.ts';

const day = (name: string, paid: number, sales = 1, refunds = 0, refunded = 0, shares = 0, commissions = 0) => ({
  ...{ day: name, sales, refunds, paid, refunded, shares, commissions },
});

const sale = (at: string, paid: number, more: Partial<SaleResponse> = {}) =>
  ({
    ...{
      at,
      paid,
      change: 0,
      refund: 0,
      bonus: 0,
      state: 'completed',
      productId: 'lamp',
      shares: [],
      refundedAt: null,
    },
    ...more,
  }) as unknown as SaleResponse;

const list = (data: SaleResponse[], nextCursor: string | null = null): NewestSales => ({
  data,
  pagination: { nextCursor },
});

const now = Date.parse('2026-03-31T12:00:00Z');

const days = [
  day('2026-01-31', 7000),
  day('2026-02-01', 100),
  day('2026-02-28', 200),
  day('2026-03-01', 30, 2),
  day('2026-03-30', 90, 3, 1, 20, 8, 2),
  day('2026-03-31', 5, 1, 1, 1),
];

test('sums up today, the day before it and this month, each by its own days', () => {
  const { day: today, month } = spansOf(days, list([], 'more'), now);

  const none = { refunds: 0, refunded: 0, shares: 0, commissions: 0 };
  expect(today.sum).toEqual({ ...none, sales: 1, refunds: 1, paid: 5, refunded: 1, yours: 4 });
  expect(today.before).toEqual({ sales: 3, refunds: 1, paid: 90, refunded: 20, shares: 8, commissions: 2, yours: 60 });
  expect(month).toEqual({ sales: 6, refunds: 2, paid: 125, refunded: 21, shares: 8, commissions: 2, yours: 94 });
});

test('lists this month by its days, each beside the day with its number in the month before', () => {
  const march = monthByDay(days, now);
  const february = monthByDay(days, Date.parse('2026-02-27T23:59:59Z'));

  expect([march.days.length, march.days[0], march.days[30]]).toEqual([31, '2026-03-01', '2026-03-31']);
  expect(march.earned.map((day) => day?.yours)).toEqual([30, ...Array(28).fill(0), 60, 4]);
  expect(march.earned[29]).toEqual({ paid: 90, refunded: 20, shares: 8, commissions: 2, yours: 60 });
  // February has no day after the 28th.
  expect(march.before).toEqual([100, ...Array(26).fill(0), 200, undefined, undefined, undefined]);
  // The 28th is still ahead.
  expect(february.earned.map((day) => day?.yours)).toEqual([100, ...Array(26).fill(0), undefined]);
  expect(february.before).toEqual(Array(28).fill(0));
  expect([monthBefore('2026-01-15'), monthBefore('2026-03-31')]).toEqual(['2025-12-01', '2026-02-01']);
});

const others = [
  { kind: 'share', amount: 8 },
  { kind: 'commission', amount: 2 },
] as SaleResponse['shares'];

const yesterday = [
  sale('2026-03-30T20:00:00.000Z', 40),
  sale('2026-03-30T11:00:00.000Z', 30, {
    change: 5,
    refund: 30,
    state: 'refunded',
    refundedAt: '2026-03-30T13:00:00Z',
  }),
  sale('2026-03-30T08:00:00.000Z', 25, { state: 'refused', change: 25, refund: 25 }),
  sale('2026-03-30T00:00:00.000Z', 25, { shares: others }),
];

test('tells what yesterday had earned by this hour where the list has all that the day counts, and else nothing', () => {
  const older = sale('2026-03-29T23:59:59.000Z', 1000);
  const earned = (newest: NewestSales, at = now) => spansOf(days, newest, at).day.beforeByNow;

  // The refund came an hour later.
  expect(earned(list(yesterday))).toBe(25 + 15);
  expect(earned(list(yesterday), now + 3_600_000)).toBe(15);
  expect(earned(list([...yesterday, older], 'more'))).toBe(40);
  // The list ends within the day.
  expect(earned(list(yesterday, 'more'))).toBeUndefined();
  // An imported sale is in the list, and not in the day.
  expect(earned(list([...yesterday, sale('2026-03-30T00:00:00.000Z', 1)]))).toBeUndefined();
  // A sale that is not in the list was refunded yesterday.
  expect(spansOf([day('2026-03-30', 90, 3, 2, 40)], list(yesterday), now).day.beforeByNow).toBeUndefined();
});

test('tells how today grew from hour to hour, where the list has all of today', () => {
  const sold = [
    sale('2026-03-31T02:00:00.000Z', 70),
    sale('2026-03-31T01:59:59.999Z', 30, { state: 'refunded', refund: 30, refundedAt: '2026-03-31T03:10:00Z' }),
  ];
  const at = Date.parse('2026-03-31T03:30:00Z');
  const byHour = (refunds: number) => spansOf([day('2026-03-31', 100, 2, refunds, 30)], list(sold), at).day.byHour;

  // At midnight, 1:00, 2:00, 3:00 and now.
  expect(byHour(1)).toEqual([0, 0, 30, 100, 70]);
  expect(byHour(2)).toBeUndefined();
});

test('the best product is the one of which most stays, without what was refused or refunded', () => {
  const sales = [
    sale('', 10, { productId: 'chair' }),
    sale('', 30, { productId: 'lamp', change: 5, refund: 5 }),
    sale('', 15, { productId: 'chair', bonus: 2 }),
    sale('', 500, { productId: 'bench', shares: [{ kind: 'share', amount: 500 }] as SaleResponse['shares'] }),
    sale('', 900, { productId: 'sofa', refund: 900, state: 'refunded' }),
    sale('', 900, { productId: 'sofa', change: 900, refund: 900, state: 'refused' }),
  ];
  const none = { refunded: 0, shares: 0, commissions: 0, bonus: 0 };

  expect(bestProducts(sales)).toEqual([
    { ...none, id: 'chair', sales: 2, paid: 25, yours: 25, bonus: 2 },
    { ...none, id: 'lamp', sales: 1, paid: 25, yours: 25 },
    { ...none, id: 'bench', sales: 1, paid: 500, shares: 500, yours: 0 },
  ]);
});
