import { expect, test } from 'vitest';
import { type Holding, isEnough, touchesNoLot } from '../../../lib/credit/rules.ts';
import { at, decide, holding, increment, later, limit, lot, past, reconcile, set, soon } from './holdings.ts';

test('a command that closes no lot is decided without reading lots', () => {
  const unread: Holding = { balance: 27, unlotted: 20, lots: 1, due: later };

  expect(decide(unread, [], increment(5), at, limit).holding).toStrictEqual({ ...unread, balance: 32, unlotted: 25 });
  expect(decide(unread, [], increment(5, soon), at, limit).holding.due).toBe(soon);
});

test('the first lots are enough once one of them stays open', () => {
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

test('lots need not be read if none is closed', () => {
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

test('a command that ends one lot needs those up to the next after it, and no lot where it ends none', () => {
  const open = [lot(soon, 10), lot(later, 10)];
  const [first, second] = open.map(({ expiresAt }) => ({ id: expiresAt, expiresAt }));
  const took = { lots: [], unlotted: 0 };
  const undoOf = (gone?: { id: string; expiresAt: string }) =>
    ({ kind: 'undo', of: 'increment', gave: { amount: 10, lot: gone }, took }) as const;
  const bonusBack = (gone?: { id: string; expiresAt: string }) =>
    ({ kind: 'bonus-back', amount: 10, lot: gone }) as const;

  for (const commandOf of [undoOf, bonusBack]) {
    expect([first, second].map((gone) => isEnough(open, commandOf(gone), at))).toEqual([true, false]);
    expect(isEnough([], commandOf(first), at)).toBe(false);
    expect(touchesNoLot(holding(20, open), commandOf(first), at)).toBe(false);
    expect(touchesNoLot(holding(20, open), commandOf(), at)).toBe(true);
  }
});
