/** Credit that ends at one time. */
interface Ending {
  /** In L$. */
  amount: number;
  expiresAt: string;
}

const most = 40;

/** Joins the two neighbours whose expiries are nearest to each other. The sum expires at the later time. */
const joinNearest = (sums: Ending[]): void => {
  // A text that is no time has an infinite gap, since NaN would lose a sum.
  const gapTo = (index: number): number => {
    const gap = Date.parse(sums[index]?.expiresAt ?? '') - Date.parse(sums[index - 1]?.expiresAt ?? '');
    return Number.isNaN(gap) ? Number.POSITIVE_INFINITY : gap;
  };
  const gaps = sums.slice(1).map((_, index) => gapTo(index + 1));
  const place = gaps.indexOf(Math.min(...gaps));
  const [earlier] = sums.splice(place, 1);
  const later = sums[place];
  if (earlier && later) later.amount += earlier.amount;
};

/** Joins credit that comes back into one sum for each expiry, at most 40 sums. `credit` is in the order of expiry. */
export const joinedByExpiry = (credit: readonly Ending[]): Ending[] => {
  const amounts = new Map<string, number>();
  for (const { expiresAt, amount } of credit) amounts.set(expiresAt, (amounts.get(expiresAt) ?? 0) + amount);
  const sums = [...amounts].map(([expiresAt, amount]) => ({ expiresAt, amount }));
  while (sums.length > most) joinNearest(sums);
  return sums;
};
