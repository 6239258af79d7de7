import { expect, test } from 'vitest';
import type { SaleResponse } from '../../client/client.ts';
import { bestProducts, monthBefore, type NewestSales, spansOf } from '../sums.ts';

const day = (name: string, paid: number, sales = 1, refunded = 0) => ({ day: name, sales, paid, refunded });

const sale = (at: string, paid: number, more: Partial<SaleResponse> = {}) =>
  ({ at, paid, change: 0, refund: 0, bonus: 0, state: 'completed', productId: 'lamp', ...more }) as SaleResponse;

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
  day('2026-03-30', 90, 3, 20),
  day('2026-03-31', 5, 1, 1),
];

test('sums up today, this month and the spans before them, each by its own days', () => {
  const { day: today, month } = spansOf(days, list([], 'more'), now);

  expect(today.sum).toEqual({ sales: 1, paid: 5, refunded: 1 });
  expect(today.before).toEqual({ sales: 3, paid: 90, refunded: 20 });
  expect(month.sum).toEqual({ sales: 6, paid: 125, refunded: 21 });
  expect(month.before).toEqual({ sales: 2, paid: 300, refunded: 0 });
});

test('compares a month with the one before up to the same day, or to its end where it is shorter', () => {
  const at = (time: string) => spansOf(days, list([]), Date.parse(time)).month;

  expect(at('2026-03-31T12:00:00Z')).toMatchObject({ same: '2026-02-28', last: '2026-02-28' });
  expect(at('2026-03-27T00:00:00Z')).toMatchObject({
    ...{ same: '2026-02-27', last: '2026-02-28' },
    beforeByNow: { paid: 100 },
  });
  expect([monthBefore('2026-01-15'), monthBefore('2026-03-31')]).toEqual(['2025-12-01', '2026-02-01']);
});

const yesterday = [
  sale('2026-03-30T20:00:00.000Z', 40),
  sale('2026-03-30T12:00:00.000Z', 30, { change: 5, refund: 30, state: 'refunded' }),
  sale('2026-03-30T08:00:00.000Z', 25, { state: 'refused' }),
  sale('2026-03-30T00:00:00.000Z', 25),
];

test('tells what was paid yesterday by this hour where the list has the sales that the day counts, and else nothing', () => {
  const older = sale('2026-03-29T23:59:59.000Z', 1000);
  const paid = (newest: NewestSales) => spansOf(days, newest, now).day.beforeByNow;

  expect(paid(list(yesterday))).toBe(50);
  expect(paid(list([...yesterday, older], 'more'))).toBe(50);
  // The list ends within the day.
  expect(paid(list(yesterday, 'more'))).toBeUndefined();
  // An imported sale is in the list, and not in the day.
  expect(paid(list([...yesterday, sale('2026-03-30T00:00:00.000Z', 1)]))).toBeUndefined();
});

test('the best product is the one that brought most, without what was refused or refunded', () => {
  const sales = [
    sale('', 10, { productId: 'chair' }),
    sale('', 30, { productId: 'lamp', refund: 5 }),
    sale('', 15, { productId: 'chair', bonus: 2 }),
    sale('', 900, { productId: 'sofa', state: 'refunded' }),
    sale('', 900, { productId: 'sofa', state: 'refused' }),
  ];

  expect(bestProducts(sales)).toEqual([
    { id: 'chair', sales: 2, received: 25, bonus: 2 },
    { id: 'lamp', sales: 1, received: 25, bonus: 0 },
  ]);
});
