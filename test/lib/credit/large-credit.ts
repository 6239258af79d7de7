import { expect } from 'vitest';
import { timestamp } from '../../../lib/clock.ts';
import { creditOf, customerWithLots, statesOf } from '../../support/credit-seed.ts';
import { add, store } from './credit.ts';

/** Changes of more lots than one transaction holds. They are as atomic as small ones, wherever the process dies. */

export const start = Date.parse('2028-02-29T12:00:00.000Z');
export const later = start + 10_000;

/** A customer with lots of L$ 2 that come due one after another from `later` on, and L$ 5 of unlotted credit. */
export const customerOf = (size: number): Promise<string> =>
  customerWithLots(
    store,
    Array.from({ length: size }, (_, index) => ({ amount: 2, expiresAt: timestamp(later + index) })),
    5,
  );

export const drain = (uuid: string, amount: number) => add(uuid, -amount);

export const finished = async (uuid: string) => {
  const { item, lots, faults } = await creditOf(store, uuid);
  expect(faults).toEqual([]);
  expect(item.pending).toBeUndefined();
  return { item, lots, states: statesOf(lots) };
};

/** Leaves out states with no lot, as `statesOf` does. */
export const some = (counts: Record<string, number>) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
