import { expect } from 'vitest';
import { getCustomer } from '../../../lib/avatars/customers.ts';
import { timestamp } from '../../../lib/clock.ts';
import { changeCredit } from '../../../lib/credit/change.ts';
import type { CreditCommand } from '../../../lib/credit/rules.ts';
import { sweepDueLots } from '../../../lib/credit/sweep.ts';
import { creditOf, statesOf } from '../../support/credit-seed.ts';

/** Calls the functions for regular credit directly, in one store of the test file's table. */
export const store = 'credit';

export const change = (uuid: string, command: CreditCommand) =>
  changeCredit(store, { uuid }, 'regular', command, { by: 'test' });

export const add = (uuid: string, delta: number, expiresAt?: number) =>
  change(uuid, { kind: 'increment', delta, expiresAt: expiresAt === undefined ? undefined : timestamp(expiresAt) });

export const sweep = () => sweepDueLots('sweep');

export const balanceOf = async (uuid: string): Promise<number> => (await getCustomer(store, { uuid })).credit;

/** A customer's books. Throws unless they agree. */
export const booksOf = async (uuid: string) => {
  const { item, lots, faults } = await creditOf(store, uuid);
  expect(faults).toEqual([]);
  return { balance: item.credit, unlotted: item.creditUnlotted, states: statesOf(lots) };
};
