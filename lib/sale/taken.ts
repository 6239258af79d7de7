import { joinedByExpiry } from '../credit/joined.ts';
import type { PlannedPart } from '../credit/plan.ts';
import type { Part } from '../credit/state.ts';
import type { TakenCredit } from './sales.ts';

/** The L$ that a plan takes from lots: one sum for each expiry, at most 40 sums. */
export const takenBy = (planned: readonly PlannedPart[], type: Part['type']): TakenCredit => {
  const plan = planned.find((part) => part.type === type)?.plan;
  const drained = (plan?.closed ?? [])
    .filter(({ how }) => how === 'drained')
    .map(({ lot: { expiresAt, remaining } }) => ({ expiresAt, amount: remaining }));
  const { lot, remaining = 0 } = plan?.reduced ?? {};
  if (lot) drained.push({ expiresAt: lot.expiresAt, amount: lot.remaining - remaining });
  return joinedByExpiry(drained).map(({ expiresAt, amount }) => [expiresAt, amount]);
};
