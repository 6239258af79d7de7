import { expect, test } from 'vitest';
import { booksFault, type CreditCommand, checkCommand, dueAtOnce } from '../../../lib/credit/rules.ts';
import {
  at,
  decide,
  faultsOf,
  holding,
  increment,
  limit,
  lot,
  past,
  planOf,
  reconcile,
  set,
  soon,
} from './holdings.ts';

test('rule 5 and the credit limit: a command that is invalid in any state is refused with all its faults', () => {
  const inTime = 'expiresAt must be in the future.';
  const check = (command: CreditCommand) => faultsOf(() => checkCommand(command, at, limit));

  expect(check(set(1001))).toEqual(['credit must be at most the credit limit of 1000.']);
  expect(check(increment(1001))).toEqual(['delta must be at most the credit limit of 1000.']);
  expect(check(set(5, at))).toEqual([inTime]);
  expect(check(increment(5, past))).toEqual([inTime]);
  expect(check(set(1001, past))).toEqual([inTime, 'credit must be at most the credit limit of 1000.']);
});

test('a command that is valid in some state is not refused before the state is read', () => {
  for (const command of [set(1000), set(0), set(1000, soon), increment(1000), increment(-5000), reconcile])
    expect(faultsOf(() => checkCommand(command, at, limit))).toEqual([]);
});

test('rule 12: refuses an addition above the credit limit, but not up to it; due lots do not count', () => {
  const tooMuch = ['delta must not take the balance above the credit limit of 1000.'];

  expect(faultsOf(() => planOf(900, [], increment(101)))).toEqual(tooMuch);
  expect(planOf(900, [], increment(100)).holding.balance).toBe(1000);
  expect(planOf(900, [lot(past, 50)], increment(100)).holding.balance).toBe(1000);
});

test('rule 12: refuses to remove more than the balance, but not all of it; due lots do not count', () => {
  const tooMuch = (held: number) => [`delta must not remove more than the customer holds, which is ${held}.`];

  expect(faultsOf(() => planOf(20, [lot(soon, 5)], increment(-26)))).toEqual(tooMuch(25));
  expect(faultsOf(() => planOf(20, [lot(past, 5)], increment(-21)))).toEqual(tooMuch(20));
  expect(planOf(20, [lot(soon, 5)], increment(-25)).holding.balance).toBe(0);
});

test('allows a removal from a balance above a lowered credit limit', () => {
  expect(planOf(2000, [], increment(-1)).holding.balance).toBe(1999);
});

test('a command with a name of its own is refused by that name', () => {
  expect(faultsOf(() => checkCommand({ kind: 'increment', delta: 1001, name: 'The card' }, at, limit))).toEqual([
    'The card must be at most the credit limit of 1000.',
  ]);
});

test('books that do not add up refuse no command: the plan shows them', () => {
  const broken = { ...holding(0, [lot(past, 20), lot(soon, 5)]), balance: 15 };
  const open = [lot(past, 20), lot(soon, 5)];

  for (const command of [reconcile, increment(-1), increment(7)])
    expect(booksFault(decide(broken, open, command, at, limit).holding)).toMatch(/cannot be/);
});

test('decides nothing but a reconcile or a set while more lots are due than one change closes', () => {
  const open = Array.from({ length: dueAtOnce + 1 }, () => lot(past, 1));
  const refund = { kind: 'refund', lots: [], unlotted: 1 } as const;

  for (const command of [increment(-1), increment(1), refund])
    expect(() => planOf(0, open, command, 10_000)).toThrow('More than 1000 lots are due');
  expect(planOf(0, open, reconcile).closed).toHaveLength(dueAtOnce);
  expect(planOf(0, open, set(5)).holding.balance).toBe(5);
});
