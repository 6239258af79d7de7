import type { MeResponse, OwnLotResponse } from '../client/types.ts';
import { daysBetween } from './language.ts';

interface Ending {
  type: OwnLotResponse['type'];
  amount: number;
  end: { at: string; days: number };
}

/** Credit of one type that ends on one day, or never. */
export interface Share extends Omit<Ending, 'end'> {
  /** Null: it does not end. */
  end: Ending['end'] | null;
  /** The length of its bar, from 0 to 100. */
  width: number;
}

/** The bar of the credit that lasts longest ends here, so that credit without an end stands out. */
const longest = 85;
/** Each bar can be seen. */
const shortest = 3;

/**
 * Divides a customer's credit by the days on which it ends, the nearest first, and then what does not end: the balance
 * less all lots. `lots` are all open lots, in the order in which they end.
 */
export const sharesOf = (
  { credit, restrictedCredit }: Pick<MeResponse, 'credit' | 'restrictedCredit'>,
  lots: readonly OwnLotResponse[],
  now: Date,
): Share[] => {
  const byDay = new Map<string, Ending>();
  for (const { type, remaining, expiresAt: at } of lots) {
    const name = `${type} ${new Date(at).toDateString()}`;
    const found = byDay.get(name);
    if (found) found.amount += remaining;
    else byDay.set(name, { type, amount: remaining, end: { at, days: Math.max(0, daysBetween(now, new Date(at))) } });
  }
  const ending = [...byDay.values()].sort((one, other) => Date.parse(one.end.at) - Date.parse(other.end.at));
  const most = Math.max(1, ending.at(-1)?.end.days ?? 0);
  const permanent = (['regular', 'restricted'] as const).map((type) => {
    const inLots = lots.reduce((sum, lot) => sum + (lot.type === type ? lot.remaining : 0), 0);
    return { type, amount: (type === 'regular' ? credit : restrictedCredit) - inLots, end: null, width: 100 };
  });
  return [
    ...ending.map((one) => ({ ...one, width: Math.max(shortest, Math.round((longest * one.end.days) / most)) })),
    ...permanent.filter(({ amount }) => amount > 0),
  ];
};
