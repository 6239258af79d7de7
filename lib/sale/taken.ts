import type { PlannedPart } from '../credit/plan.ts';
import type { Part } from '../credit/state.ts';
import type { TakenCredit } from './sales.ts';

const maxTaken = 40;

/** Joins the two neighbours that expire nearest to each other; the later one's time counts. */
const joinNearest = (taken: TakenCredit): void => {
  // A time that is none is nearest to nothing: no sum may get lost for it.
  const gapTo = (index: number): number => {
    const gap = Date.parse(taken[index]?.[0] ?? '') - Date.parse(taken[index - 1]?.[0] ?? '');
    return Number.isNaN(gap) ? Number.POSITIVE_INFINITY : gap;
  };
  const gaps = taken.slice(1).map((_, index) => gapTo(index + 1));
  const place = gaps.indexOf(Math.min(...gaps));
  const [earlier] = taken.splice(place, 1);
  const later = taken[place];
  if (earlier && later) later[1] += earlier[1];
};

/** The L$ that a plan takes from lots, one sum for each expiry, and at most 40. */
export const takenBy = (planned: readonly PlannedPart[], type: Part['type']): TakenCredit => {
  const plan = planned.find((part) => part.type === type)?.plan;
  const sums = new Map<string, number>();
  const take = (expiresAt: string, amount: number) => sums.set(expiresAt, (sums.get(expiresAt) ?? 0) + amount);
  for (const { lot, how } of plan?.closed ?? []) if (how === 'drained') take(lot.expiresAt, lot.remaining);
  if (plan?.reduced) take(plan.reduced.lot.expiresAt, plan.reduced.lot.remaining - plan.reduced.remaining);
  const taken: TakenCredit = [...sums];
  while (taken.length > maxTaken) joinNearest(taken);
  return taken;
};
