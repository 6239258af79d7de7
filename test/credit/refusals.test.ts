import { expect, test } from 'vitest';
import { type CreditCommand, checkCommand } from '../../lib/credit/rules.ts';
import { at, faultsOf, increment, limit, lot, past, planOf, reconcile, set, soon } from './holdings.ts';

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
