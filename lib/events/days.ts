import { source } from '../clock.ts';
import type { HistoryRow } from '../credit/history.ts';
import type { CreditType } from '../credit/rules.ts';
import { type Key, partition } from '../table/schema.ts';

/** The sums of a day: counts of sales, cards and deliveries, all else in L$. */
export type DaySum =
  | 'sales'
  | 'refunds'
  | 'paid'
  | 'refunded'
  | 'creditAdded'
  | 'creditRemoved'
  | 'creditSpent'
  | 'creditExpired'
  | 'giftCardsGranted'
  | 'giftCardsRedeemed'
  | 'delivered'
  | 'failed'
  /** The amount by which the balances of all customers grew in the day, of each type. */
  | 'regularNet'
  | 'restrictedNet';

/** A sum that would be 0 is absent. */
export type DaySums = Partial<Record<DaySum, number>>;

/** One part of a day's sums in a store. A day is the sum of its parts. */
export interface DayItem extends Key, DaySums {}

/** The parts of a day: consumers that run side by side hardly ever write to the same one. */
const dayParts = 16;

/** A consumer keeps to one part, so that the days of a small store have few. */
const ownPart = Math.floor(source.random() * dayParts);

/** The date of a timestamp of the contract: `YYYY-MM-DD`, in UTC. */
export const dayOf = (at: string): string => at.slice(0, 10);

/** The key of this consumer's part of a day. */
export const dayKey = (store: string, day: string): Key => ({
  pk: partition(store, 'DAY'),
  sk: `${day}#${String(ownPart).padStart(2, '0')}`,
});

/** Adds sums to others. */
export const plus = (sums: DaySums, more: DaySums): DaySums => {
  const total = { ...sums };
  for (const [name, value] of Object.entries(more) as [DaySum, number][]) total[name] = (total[name] ?? 0) + value;
  return total;
};

const withoutZeros = (sums: DaySums): DaySums =>
  Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0));

/** A row's share in the sums of its day. */
export const sumsOfRow = (type: CreditType, { kind, amount, expired }: HistoryRow): DaySums => {
  const isOfSale = kind === 'sale' || kind === 'refund';
  return withoutZeros({
    creditAdded: isOfSale ? 0 : Math.max(amount, 0),
    creditRemoved: isOfSale ? 0 : Math.max(-amount, 0),
    creditSpent: isOfSale ? 0 - amount : 0,
    creditExpired: expired,
    [type === 'regular' ? 'regularNet' : 'restrictedNet']: amount - expired,
  });
};
