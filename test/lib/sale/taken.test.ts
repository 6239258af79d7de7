import { expect, test } from 'vitest';
import { timestamp } from '../../../lib/clock.ts';
import type { CreditLot } from '../../../lib/credit/lot.ts';
import type { PlannedPart } from '../../../lib/credit/plan.ts';
import { takenBy } from '../../../lib/sale/taken.ts';

const start = Date.parse('2028-02-29T12:00:00.000Z');
const minute = 60_000;

/** A part of a sale that drains lots of 1 L$ with these expiries. */
const draining = (expiries: readonly string[]): PlannedPart[] => {
  const closed = expiries.map((expiresAt) => ({
    lot: { expiresAt, remaining: 1 } as CreditLot,
    how: 'drained' as const,
  }));
  const plan = { holding: { balance: 0, unlotted: 0, lots: 0 }, closed };
  return [{ type: 'regular', command: { kind: 'increment', delta: -expiries.length }, tooMany: false, plan }];
};

const total = (taken: ReturnType<typeof takenBy>): number => taken.reduce((sum, [, amount]) => sum + amount, 0);

test('beyond 40 expiries the nearest neighbours are joined, and the later of them counts', () => {
  const expiries = Array.from({ length: 41 }, (_, index) => timestamp(start + index * 10 * minute));
  expiries[7] = timestamp(start + 61 * minute);

  const taken = takenBy(draining(expiries), 'regular');

  expect([taken.length, total(taken)]).toEqual([40, 41]);
  expect(taken[6]).toEqual([expiries[7], 2]);
});

test.each([0, 20, 44])('no L$ is lost where expiry number %i is no time', (place) => {
  const expiries = Array.from({ length: 45 }, (_, index) => timestamp(start + index * minute));
  expiries[place] = 'never';

  const taken = takenBy(draining(expiries), 'regular');

  expect([taken.length, total(taken)]).toEqual([40, 45]);
  expect(taken.map(([expiresAt]) => expiresAt)).toContain('never');
});
