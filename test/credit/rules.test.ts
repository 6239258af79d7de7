import { expect, test } from 'vitest';
import {
  booksFault,
  type CreditCommand,
  checkCommand,
  decide,
  type Holding,
  isDue,
  isEnough,
  type Lot,
  touchesNoLot,
} from '../../lib/credit/rules.ts';

const at = '2027-03-01T00:00:00.000Z';
const past = '2027-02-01T00:00:00.000Z';
const soon = '2027-04-01T00:00:00.000Z';
const later = '2027-05-01T00:00:00.000Z';
const latest = '2027-06-01T00:00:00.000Z';
const limit = 1000;

const lot = (expiresAt: string, remaining: number): Lot => ({ sk: expiresAt, expiresAt, remaining });

/** The holding of someone with these open lots. */
const holding = (unlotted: number, open: readonly Lot[] = []): Holding => ({
  balance: open.reduce((sum, { remaining }) => sum + remaining, unlotted),
  unlotted,
  lots: open.length,
  ...(open[0] && { due: open[0].expiresAt }),
});

const increment = (delta: number, expiresAt?: string): CreditCommand => ({ kind: 'increment', delta, expiresAt });
const set = (credit: number, expiresAt?: string): CreditCommand => ({ kind: 'set', credit, expiresAt });
const reconcile: CreditCommand = { kind: 'reconcile' };

const planOf = (unlotted: number, open: readonly Lot[], command: CreditCommand, most = limit) =>
  decide(holding(unlotted, open), open, command, at, most);

/** The messages of the refusal. */
const faultsOf = (work: () => unknown): readonly string[] => {
  try {
    work();
  } catch (error) {
    const { status, errors } = error as { status: number; errors: string[] };
    expect(status).toBe(400);
    return errors;
  }
  return [];
};

test('something is due from its time on, and never without one', () => {
  expect(isDue(soon, at)).toBe(false);
  expect(isDue(at, at)).toBe(true);
  expect(isDue(past, at)).toBe(true);
  expect(isDue(undefined, at)).toBe(false);
});

test('rule 5 and the credit limit: what no state can make right is refused, all faults at once', () => {
  const inTime = 'expiresAt must be in the future.';
  const check = (command: CreditCommand) => faultsOf(() => checkCommand(command, at, limit));

  expect(check(set(1001))).toEqual(['credit must be at most the credit limit of 1000.']);
  expect(check(increment(1001))).toEqual(['delta must be at most the credit limit of 1000.']);
  expect(check(set(5, at))).toEqual([inTime]);
  expect(check(increment(5, past))).toEqual([inTime]);
  expect(check(set(1001, past))).toEqual([inTime, 'credit must be at most the credit limit of 1000.']);
});

test('what some state can make right is not refused before the state is known', () => {
  for (const command of [set(1000), set(0), set(1000, soon), increment(1000), increment(-5000), reconcile])
    expect(faultsOf(() => checkCommand(command, at, limit))).toEqual([]);
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
    added: { amount: 50, expiresAt: later },
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
    added: { amount: 5, expiresAt: soon },
  });
  expect(planOf(20, open, increment(5, latest)).holding.due).toBe(later);
});

test('rule 9: an addition without expiresAt is unlotted credit', () => {
  expect(planOf(20, [lot(soon, 7)], increment(5))).toStrictEqual({
    holding: { balance: 32, unlotted: 25, lots: 1, due: soon },
    closed: [],
  });
});

test('rule 10: what is removed comes from the first lots; one may be left in part', () => {
  const open = [lot(soon, 10), lot(later, 10), lot(latest, 10)];

  expect(planOf(20, open, increment(-15))).toStrictEqual({
    holding: { balance: 35, unlotted: 20, lots: 2, due: later },
    closed: [{ lot: open[0], how: 'drained' }],
    reduced: { lot: open[1], remaining: 5 },
  });
});

test('a removal that ends exactly with a lot touches no other', () => {
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

test('unlotted credit goes last, down to nothing', () => {
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

test('rule 12: an addition above the credit limit is refused, up to it is not; what has come due does not count', () => {
  const tooMuch = ['delta must not take the balance above the credit limit of 1000.'];

  expect(faultsOf(() => planOf(900, [], increment(101)))).toEqual(tooMuch);
  expect(planOf(900, [], increment(100)).holding.balance).toBe(1000);
  expect(planOf(900, [lot(past, 50)], increment(100)).holding.balance).toBe(1000);
});

test('rule 12: removing more than the customer holds is refused, all of it is not; what has come due is not held', () => {
  const tooMuch = (held: number) => [`delta must not remove more than the customer holds, which is ${held}.`];

  expect(faultsOf(() => planOf(20, [lot(soon, 5)], increment(-26)))).toEqual(tooMuch(25));
  expect(faultsOf(() => planOf(20, [lot(past, 5)], increment(-21)))).toEqual(tooMuch(20));
  expect(planOf(20, [lot(soon, 5)], increment(-25)).holding.balance).toBe(0);
});

test('a removal is allowed where the limit was lowered below the balance since', () => {
  expect(planOf(2000, [], increment(-1)).holding.balance).toBe(1999);
});

test('reconciling closes what is due and changes nothing else, however low the limit is', () => {
  const open = [lot(past, 5), lot(soon, 7)];

  expect(planOf(20, open, reconcile, 1)).toStrictEqual({
    holding: { balance: 27, unlotted: 20, lots: 1, due: soon },
    closed: [{ lot: open[0], how: 'expired' }],
  });
  expect(planOf(20, open.slice(1), reconcile, 1)).toStrictEqual({ holding: holding(20, open.slice(1)), closed: [] });
});

test('a command that ends no lot is decided without having read them', () => {
  const unread: Holding = { balance: 27, unlotted: 20, lots: 1, due: later };

  expect(decide(unread, [], increment(5), at, limit).holding).toStrictEqual({ ...unread, balance: 32, unlotted: 25 });
  expect(decide(unread, [], increment(5, soon), at, limit).holding.due).toBe(soon);
});

test('the first lots are enough once one is known that stays', () => {
  const open = [lot(past, 5), lot(soon, 10), lot(later, 10)];

  expect(isEnough(open, set(5), at)).toBe(false);
  expect(isEnough(open.slice(0, 1), reconcile, at)).toBe(false);
  expect(isEnough(open.slice(0, 2), reconcile, at)).toBe(true);
  expect(isEnough(open.slice(0, 2), increment(5), at)).toBe(true);
  expect(isEnough(open.slice(0, 2), increment(-9), at)).toBe(true);
  expect(isEnough(open.slice(0, 2), increment(-10), at)).toBe(false);
  expect(isEnough(open, increment(-10), at)).toBe(true);
  expect(isEnough([], increment(-10), at)).toBe(false);
});

test('books that do not add up are told apart from those that do', () => {
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

test('the lots need not be read where none ends', () => {
  const none = holding(20);
  const live = holding(20, [lot(soon, 5)]);
  const due = holding(20, [lot(past, 5)]);

  for (const command of [set(5), increment(5), increment(-5), reconcile])
    expect(touchesNoLot(none, command, at)).toBe(true);
  expect(touchesNoLot(live, increment(5), at)).toBe(true);
  expect(touchesNoLot(live, reconcile, at)).toBe(true);
  expect(touchesNoLot(live, increment(-5), at)).toBe(false);
  expect(touchesNoLot(live, set(5), at)).toBe(false);
  for (const command of [set(5), increment(5), increment(-5), reconcile])
    expect(touchesNoLot(due, command, at)).toBe(false);
});
