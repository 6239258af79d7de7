import { now, source, timestamp } from '../clock.ts';
import type { HistoryRow } from '../credit/history.ts';
import type { CreditType } from '../credit/rules.ts';
import { invalid } from '../problem.ts';
import { ofProcess } from '../process.ts';
import type { DaySum as AnsweredSum, DayQuery, Days } from '../routes/store.ts';
import { type Key, partition } from '../table/schema.ts';
import { rowsOf } from '../table/table.ts';

/** A sum of a day, or the amount by which the balances of all customers grew in it, of each type. */
export type DaySum = AnsweredSum | 'regularNet' | 'restrictedNet';

/** A sum that would be 0 is absent. */
export type DaySums = Partial<Record<DaySum, number>>;

/** One part of a day's sums in a store. A day is the sum of its parts. */
export interface DayItem extends Key, DaySums {}

/** The parts of a day: consumers that run side by side hardly ever write to the same one. */
const dayParts = 16;

/** A consumer keeps to one part, so that the days of a small store have few. */
const ownPart = ofProcess(() => Math.floor(source.random() * dayParts));

/** The date of a timestamp of the contract: `YYYY-MM-DD`, in UTC. */
export const dayOf = (at: string): string => at.slice(0, 10);

/** The key of this consumer's part of a day. */
export const dayKey = (store: string, day: string): Key => ({
  pk: partition(store, 'DAY'),
  sk: `${day}#${String(ownPart()).padStart(2, '0')}`,
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

const dayMillis = 86_400_000;

const millisOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

const maxDays = 366;

const noSums: Record<AnsweredSum, number> = {
  ...{ sales: 0, refunds: 0, paid: 0, refunded: 0 },
  ...{ creditAdded: 0, creditRemoved: 0, creditSpent: 0, creditExpired: 0 },
  ...{ giftCardsGranted: 0, giftCardsRedeemed: 0, delivered: 0, failed: 0 },
};

/**
 * The days of a store on which something happened, oldest first, with the credit that all customers held at the end of
 * each. By default the last 30. Throws 400 where they are more than 366, or the first is after the last.
 */
export const getDays = async (store: string, { from, to = dayOf(timestamp(now())) }: DayQuery): Promise<Days> => {
  const first = from ?? dayOf(timestamp(millisOf(to) - 29 * dayMillis));
  if (first > to) throw invalid(`from must not be after to, which is ${to}.`);
  if (millisOf(to) - millisOf(first) >= maxDays * dayMillis)
    throw invalid(`from and to must span at most ${maxDays} days.`);
  // The balances are sums over all days up to theirs.
  const parts = await rowsOf<DayItem>({ partition: partition(store, 'DAY'), last: `${to}~` })({ descending: false });
  const days = new Map<string, DaySums>();
  for (const { pk, sk, ...sums } of parts) days.set(dayOf(sk), plus(days.get(dayOf(sk)) ?? {}, sums));
  const held = { credit: 0, restrictedCredit: 0 };
  const data: Days['data'] = [];
  for (const [day, { regularNet = 0, restrictedNet = 0, ...sums }] of days) {
    held.credit += regularNet;
    held.restrictedCredit += restrictedNet;
    if (day >= first) data.push({ day, ...noSums, ...sums, ...held });
  }
  return { data };
};
