import { expect, test } from 'vitest';
import type { OwnLotResponse } from '../../client/types.ts';
import { sharesOf } from '../lots.ts';

const now = new Date(2028, 10, 28, 12);
const inDays = (days: number, hour = 12): string => new Date(2028, 10, 28 + days, hour).toISOString();

const lot = (remaining: number, expiresAt: string, type: OwnLotResponse['type'] = 'regular'): OwnLotResponse => ({
  type,
  amount: remaining + 5,
  remaining,
  createdAt: inDays(-3),
  expiresAt,
});

const told = (credit: number, restrictedCredit: number, lots: OwnLotResponse[]) =>
  sharesOf({ credit, restrictedCredit }, lots, now).map(({ type, amount, end }) => [type, amount, end?.days ?? null]);

test('credit is divided by the days on which it ends, and what does not end is the balance less all lots', () => {
  const lots = [lot(190, inDays(26)), lot(30, inDays(29)), lot(620, inDays(184))];

  expect(told(1340, 0, lots)).toEqual([
    ['regular', 190, 26],
    ['regular', 30, 29],
    ['regular', 620, 184],
    ['regular', 500, null],
  ]);
});

test('lots of one day are one share, those of the two types are two, and the nearest end is first', () => {
  const lots = [
    lot(10, inDays(5, 8)),
    lot(20, inDays(5, 20)),
    lot(1, inDays(6)),
    lot(7, inDays(2), 'restricted'),
    lot(8, inDays(5, 9), 'restricted'),
  ];

  expect(told(31, 100, lots)).toEqual([
    ['restricted', 7, 2],
    ['regular', 30, 5],
    ['restricted', 8, 5],
    ['regular', 1, 6],
    ['restricted', 85, null],
  ]);
});

test('a lot that has come due since it was read ends today, never before', () => {
  expect(told(5, 0, [lot(5, inDays(-1))])).toEqual([['regular', 5, 0]]);
});

test('without credit there is nothing to show', () => {
  expect(told(0, 0, [])).toEqual([]);
});

test('a bar is as long as its credit lasts, can always be seen, and is whole only for what does not end', () => {
  const lots = [lot(1, inDays(0)), lot(1, inDays(50)), lot(1, inDays(100))];

  expect(sharesOf({ credit: 4, restrictedCredit: 0 }, lots, now).map(({ width }) => width)).toEqual([3, 43, 85, 100]);
  expect(sharesOf({ credit: 1, restrictedCredit: 0 }, [lot(1, inDays(0))], now)[0]?.width).toBe(3);
});
