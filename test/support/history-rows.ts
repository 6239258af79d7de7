import { timestamp } from '../../lib/clock.ts';
import { type HistoryItem, type HistoryRow, historyKey } from '../../lib/credit/history.ts';
import type { CreditType } from '../../lib/credit/rules.ts';

/** A change as a test gives it: L$ that it adds to the balance of its type, and further facts of its row. */
export interface SeededChange extends Partial<Omit<HistoryItem, 'pk' | 'sk'>> {
  type?: CreditType;
  amount: number;
}

/**
 * The stored rows of these changes of a customer, numbered from 1 on, a second apart: each adds permanent credit unless
 * it says otherwise.
 */
export const historyRows = (
  store: string,
  uuid: string,
  changes: readonly SeededChange[],
  start = Date.parse('2026-01-01T00:00:00.000Z'),
): HistoryItem[] => {
  const balances = { regular: 0, restricted: 0 };
  return changes.map(({ type = 'regular', amount, ...facts }, index) => {
    balances[type] += amount - (facts.expired ?? 0);
    const row: HistoryRow = {
      kind: 'increment',
      at: timestamp(start + 1000 * index),
      amount,
      expired: 0,
      credit: balances.regular,
      restrictedCredit: balances.restricted,
      unlotted: facts.lots ? 0 : amount,
    };
    return { ...historyKey(store, uuid, type, index + 1), ...row, ...facts };
  });
};
