import { expect, test } from 'vitest';
import { booksFault, type CreditCommand, isDue } from '../../../lib/credit/rules.ts';
import { at, holding, increment, later, latest, lot, past, planOf, reconcile, set, soon } from './holdings.ts';

test('a lot is due from its expiry on, and never without one', () => {
  expect(isDue(soon, at)).toBe(false);
  expect(isDue(at, at)).toBe(true);
  expect(isDue(past, at)).toBe(true);
  expect(isDue(undefined, at)).toBe(false);
});

test('rule 2: a set ends every open lot; one that has come due ends as expired, the others as superseded', () => {
  const open = [lot(past, 5), lot(soon, 7)];

  const plan = planOf(20, open, set(50));

  expect(plan.closed).toEqual([
    { lot: open[0], how: 'expired' },
    { lot: open[1], how: 'superseded' },
  ]);
});

test('rule 4: a set without expiresAt leaves unlotted credit and no lots', () => {
  expect(planOf(20, [lot(soon, 7)], set(50))).toStrictEqual({
    holding: { balance: 50, unlotted: 50, lots: 0 },
    closed: [{ lot: lot(soon, 7), how: 'superseded' }],
  });
});

test('rule 3: a set with expiresAt makes one lot of the whole balance', () => {
  expect(planOf(20, [], set(50, later))).toStrictEqual({
    holding: { balance: 50, unlotted: 0, lots: 1, due: later },
    closed: [],
    added: [{ amount: 50, expiresAt: later }],
  });
});

test('a set of 0 with expiresAt leaves no lot', () => {
  expect(planOf(20, [], set(0, later))).toStrictEqual({ holding: { balance: 0, unlotted: 0, lots: 0 }, closed: [] });
});

test('rules 7 and 8: an addition with expiresAt is a lot of its own, and the others stay', () => {
  const open = [lot(later, 7)];

  expect(planOf(20, open, increment(5, soon))).toStrictEqual({
    holding: { balance: 32, unlotted: 20, lots: 2, due: soon },
    closed: [],
    added: [{ amount: 5, expiresAt: soon }],
  });
  expect(planOf(20, open, increment(5, latest)).holding.due).toBe(later);
});

test('rule 9: an addition without expiresAt is unlotted credit', () => {
  expect(planOf(20, [lot(soon, 7)], increment(5))).toStrictEqual({
    holding: { balance: 32, unlotted: 25, lots: 1, due: soon },
    closed: [],
  });
});

test('rule 10: a removal drains the first lots, the last of them possibly in part', () => {
  const open = [lot(soon, 10), lot(later, 10), lot(latest, 10)];

  expect(planOf(20, open, increment(-15))).toStrictEqual({
    holding: { balance: 35, unlotted: 20, lots: 2, due: later },
    closed: [{ lot: open[0], how: 'drained' }],
    reduced: { lot: open[1], remaining: 5 },
  });
});

test('a removal that ends exactly with a lot changes no other', () => {
  const open = [lot(soon, 10), lot(later, 10)];

  expect(planOf(20, open, increment(-10))).toStrictEqual({
    holding: { balance: 30, unlotted: 20, lots: 1, due: later },
    closed: [{ lot: open[0], how: 'drained' }],
  });
});

test('a removal within the first lot ends none', () => {
  const open = [lot(soon, 10)];

  expect(planOf(20, open, increment(-4))).toStrictEqual({
    holding: { balance: 26, unlotted: 20, lots: 1, due: soon },
    closed: [],
    reduced: { lot: open[0], remaining: 6 },
  });
});

test('a removal takes unlotted credit last, down to 0', () => {
  const open = [lot(soon, 10)];

  expect(planOf(20, open, increment(-25)).holding).toStrictEqual({ balance: 5, unlotted: 5, lots: 0 });
  expect(planOf(20, open, increment(-30)).holding).toStrictEqual({ balance: 0, unlotted: 0, lots: 0 });
});

test('a due lot is never drained: it ends as expired in the same change', () => {
  const open = [lot(past, 5), lot(at, 6), lot(soon, 10)];

  expect(planOf(20, open, increment(-12))).toStrictEqual({
    holding: { balance: 18, unlotted: 18, lots: 0 },
    closed: [
      { lot: open[0], how: 'expired' },
      { lot: open[1], how: 'expired' },
      { lot: open[2], how: 'drained' },
    ],
  });
});

test('reconciling closes the due lots and changes nothing else, even above the credit limit', () => {
  const open = [lot(past, 5), lot(soon, 7)];

  expect(planOf(20, open, reconcile, 1)).toStrictEqual({
    holding: { balance: 27, unlotted: 20, lots: 1, due: soon },
    closed: [{ lot: open[0], how: 'expired' }],
  });
  expect(planOf(20, open.slice(1), reconcile, 1)).toStrictEqual({ holding: holding(20, open.slice(1)), closed: [] });
});

test('finds books that do not add up', () => {
  for (const books of [
    { balance: 0, unlotted: 0, lots: 0 },
    { balance: 5, unlotted: 5, lots: 0 },
    { balance: 5, unlotted: 0, lots: 1 },
    { balance: 5, unlotted: 4, lots: 1 },
  ])
    expect(booksFault(books)).toBeUndefined();
  for (const books of [
    { balance: 6, unlotted: 5, lots: 0 },
    { balance: 4, unlotted: 5, lots: 0 },
    { balance: 5, unlotted: 5, lots: 1 },
    { balance: 4, unlotted: 5, lots: 1 },
    { balance: -1, unlotted: -1, lots: 0 },
    { balance: 1, unlotted: -1, lots: 1 },
    { balance: 1, unlotted: 0, lots: -1 },
    { balance: 0.5, unlotted: 0.5, lots: 0 },
    { balance: Number.NaN, unlotted: 0, lots: 0 },
  ])
    expect(booksFault(books)).toBe(
      `a balance of ${books.balance} cannot be ${books.unlotted} without lots and ${books.lots} open lots`,
    );
});

const back = (unlotted: number, ...lots: [expiresAt: string, amount: number][]): CreditCommand => ({
  kind: 'refund',
  lots: lots.map(([expiresAt, amount]) => ({ expiresAt, amount })),
  unlotted,
});

test.each([
  [
    'unlotted credit alone, beside a lot that stays',
    planOf(20, [lot(soon, 7)], back(5)),
    { holding: { balance: 32, unlotted: 25, lots: 1, due: soon }, closed: [] },
  ],
  [
    'lots of their own, after the due lot has ended and without what is due by now',
    planOf(20, [lot(past, 5), lot(soon, 7)], back(2, [past, 6], [later, 3], [latest, 4])),
    {
      holding: { balance: 36, unlotted: 22, lots: 3, due: soon },
      closed: [{ lot: lot(past, 5), how: 'expired' }],
      added: [
        { expiresAt: later, amount: 3 },
        { expiresAt: latest, amount: 4 },
      ],
      lapsed: 6,
    },
  ],
  [
    'a lot that comes due before the open one',
    planOf(20, [lot(later, 7)], back(0, [soon, 3])),
    {
      holding: { balance: 30, unlotted: 20, lots: 2, due: soon },
      closed: [],
      added: [{ expiresAt: soon, amount: 3 }],
    },
  ],
  [
    'a lot where the last open one has ended',
    planOf(20, [lot(past, 5)], back(0, [later, 3])),
    {
      holding: { balance: 23, unlotted: 20, lots: 1, due: later },
      closed: [{ lot: lot(past, 5), how: 'expired' }],
      added: [{ expiresAt: later, amount: 3 }],
    },
  ],
  [
    'nothing but what is due by now',
    planOf(20, [], back(0, [past, 6])),
    { holding: { balance: 20, unlotted: 20, lots: 0 }, closed: [], lapsed: 6 },
  ],
] as const)('a refund gives back %s', (_, plan, expected) => {
  expect(plan).toStrictEqual(expected);
});
