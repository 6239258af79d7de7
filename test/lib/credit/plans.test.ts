import { expect, test } from 'vitest';
import { booksFault, type CreditCommand, isDue, openAfter } from '../../../lib/credit/rules.ts';
import { at, holding, increment, later, latest, limit, lot, past, planOf, reconcile, set, soon } from './holdings.ts';

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

type Undo = Omit<Extract<CreditCommand, { kind: 'undo' }>, 'kind'>;

const undo = (of: Undo['of'], gave: Undo['gave'], took: Undo['took'] = { lots: [], unlotted: 0 }): CreditCommand => ({
  kind: 'undo',
  ...{ of, gave, took },
});
/** A lot as it is stored, whose id is its expiry. */
const kept = (expiresAt: string, remaining: number) => ({ ...lot(expiresAt, remaining), sk: `regular#e#${expiresAt}` });
const idOf = (expiresAt: string) => ({ id: expiresAt, expiresAt });
const tookAll = { lots: [{ amount: 10, expiresAt: soon }], unlotted: 30 };

test.each([
  [
    'a permanent gift that is there',
    planOf(20, [lot(soon, 7)], undo('increment', { amount: 15 })),
    { holding: { balance: 12, unlotted: 5, lots: 1, due: soon }, closed: [], undone: { amount: -15, left: 0 } },
  ],
  [
    'of a permanent gift no more than has never been spent',
    planOf(20, [], undo('increment', { amount: 15, most: 6 })),
    { holding: { balance: 14, unlotted: 14, lots: 0 }, closed: [], undone: { amount: -6, left: 9 } },
  ],
  [
    'of a permanent gift no more than is there',
    planOf(3, [], undo('increment', { amount: 15 })),
    { holding: { balance: 0, unlotted: 0, lots: 0 }, closed: [], undone: { amount: -3, left: 12 } },
  ],
  [
    'the rest of its own lot, the first one',
    planOf(20, [kept(soon, 7), kept(later, 5)], undo('increment', { amount: 10, lot: idOf(soon) })),
    {
      holding: { balance: 25, unlotted: 20, lots: 1, due: later },
      closed: [],
      taken: kept(soon, 7),
      undone: { amount: -7, left: 3 },
    },
  ],
  [
    'the rest of its own lot behind another, after the due one has ended',
    planOf(20, [kept(past, 5), kept(soon, 7), kept(later, 5)], undo('increment', { amount: 5, lot: idOf(later) })),
    {
      holding: { balance: 27, unlotted: 20, lots: 1, due: soon },
      closed: [{ lot: kept(past, 5), how: 'expired' }],
      taken: kept(later, 5),
      undone: { amount: -5, left: 0 },
    },
  ],
  [
    'nothing of a lot that has ended',
    planOf(20, [kept(soon, 7)], undo('increment', { amount: 10, lot: idOf(later) })),
    {
      holding: { balance: 27, unlotted: 20, lots: 1, due: soon },
      closed: [],
      undone: { amount: 0, left: 10 },
      hasNoEffect: true,
    },
  ],
  [
    'a removal: what it took, with its end',
    planOf(20, [], undo('increment', { amount: 0 }, tookAll)),
    {
      holding: { balance: 60, unlotted: 50, lots: 1, due: soon },
      closed: [],
      added: [{ amount: 10, expiresAt: soon }],
      undone: { amount: 40, left: 0 },
    },
  ],
  [
    'a set, of which nothing was spent',
    planOf(100, [], undo('set', { amount: 100, most: 100 }, tookAll)),
    {
      holding: { balance: 40, unlotted: 30, lots: 1, due: soon },
      closed: [],
      added: [{ amount: 10, expiresAt: soon }],
      undone: { amount: -60, left: 0 },
    },
  ],
  [
    'a set whose spent credit is paid from what ended first, then from permanent credit',
    planOf(85, [], undo('set', { amount: 100, most: 85 }, tookAll)),
    { holding: { balance: 25, unlotted: 25, lots: 0 }, closed: [], undone: { amount: -60, left: 0 } },
  ],
  [
    'a set of which a part of the first lot was spent, and another lot came back whole',
    planOf(
      96,
      [],
      undo('set', { amount: 100 }, { lots: [{ amount: 9, expiresAt: later }, ...tookAll.lots], unlotted: 0 }),
    ),
    {
      holding: { balance: 15, unlotted: 0, lots: 2, due: soon },
      closed: [],
      added: [
        { expiresAt: soon, amount: 6 },
        { expiresAt: later, amount: 9 },
      ],
      undone: { amount: -81, left: 0 },
    },
  ],
  [
    'a set of which more was spent than it had superseded',
    planOf(30, [], undo('set', { amount: 100 }, tookAll)),
    { holding: { balance: 0, unlotted: 0, lots: 0 }, closed: [], undone: { amount: -30, left: 30 } },
  ],
  [
    'a set whose lot has expired: what was left in it was not spent',
    planOf(0, [], undo('set', { amount: 100, lot: idOf(past), ended: 80 }, tookAll)),
    { holding: { balance: 20, unlotted: 20, lots: 0 }, closed: [], undone: { amount: 20, left: 80 } },
  ],
] as const)('an undo takes or gives back %s', (_, plan, expected) => {
  expect(plan).toStrictEqual(expected);
});

test('a bonus is taken back from its own lot, or from permanent credit', () => {
  const open = [kept(soon, 7), kept(later, 5)];

  expect(planOf(20, open, { kind: 'bonus-back', amount: 9, lot: idOf(later) })).toStrictEqual({
    holding: { balance: 27, unlotted: 20, lots: 1, due: soon },
    closed: [],
    taken: kept(later, 5),
    bonus: -5,
  });
  expect(planOf(4, open, { kind: 'bonus-back', amount: 9 })).toMatchObject({ bonus: -4, holding: { unlotted: 0 } });
  expect(planOf(4, open, { kind: 'bonus-back', amount: 9, lot: idOf(latest) })).toMatchObject({ bonus: 0 });
});

const bonus = (amount: number, expiresAt?: string): CreditCommand => ({ kind: 'bonus', amount, expiresAt, id: 'b' });

test.each([
  [
    'permanent credit',
    planOf(20, [lot(soon, 7)], bonus(5)),
    { holding: { balance: 32, unlotted: 25, lots: 1, due: soon }, closed: [], bonus: 5 },
  ],
  [
    'a lot of its own, with its id, after what is due has ended',
    planOf(20, [lot(past, 7)], bonus(5, later)),
    {
      holding: { balance: 25, unlotted: 20, lots: 1, due: later },
      closed: [{ lot: lot(past, 7), how: 'expired' }],
      added: [{ amount: 5, expiresAt: later, id: 'b' }],
      bonus: 5,
    },
  ],
  [
    'as much as the limit leaves once what is due has gone',
    planOf(990, [lot(past, 500)], bonus(50)),
    {
      holding: { balance: limit, unlotted: limit, lots: 0 },
      closed: [{ lot: lot(past, 500), how: 'expired' }],
      bonus: 10,
    },
  ],
  [
    'nothing at the limit, and no lot',
    planOf(limit, [], bonus(50, later)),
    { holding: { balance: limit, unlotted: limit, lots: 0 }, closed: [], bonus: 0 },
  ],
  [
    'nothing above the limit',
    planOf(limit + 5, [], bonus(50)),
    { holding: { balance: limit + 5, unlotted: limit + 5, lots: 0 }, closed: [], bonus: 0 },
  ],
] as const)('a bonus gives %s', (_, plan, expected) => {
  expect(plan).toStrictEqual(expected);
});

test('the open lots after a plan are those that are left and those that it adds, in the order of their ends', () => {
  const open = [lot(past, 5), lot(soon, 10), lot(latest, 10)];
  const ends = (lots: readonly { expiresAt: string; remaining: number }[]) =>
    lots.map(({ expiresAt, remaining }) => [expiresAt, remaining]);

  expect(ends(openAfter(open, planOf(20, open, increment(-4))))).toEqual([
    [soon, 6],
    [latest, 10],
  ]);
  expect(ends(openAfter(open, planOf(20, open, increment(3, later))))).toEqual([
    [soon, 10],
    [later, 3],
    [latest, 10],
  ]);
  expect(ends(openAfter(open, planOf(20, open, increment(3, soon))))).toEqual([
    [soon, 10],
    [soon, 3],
    [latest, 10],
  ]);
  expect(openAfter([], planOf(20, [], increment(3)))).toEqual([]);
});
