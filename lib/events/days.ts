import { createHash } from 'node:crypto';
import { now, timestamp } from '../clock.ts';
import type { HistoryRow } from '../credit/history.ts';
import type { CreditType } from '../credit/rules.ts';
import { invalid } from '../problem.ts';
import { perProcess } from '../process.ts';
import type { DaySum as AnsweredSum, DayQuery, Days } from '../routes/store.ts';
import type { SaleItem } from '../sale/sales.ts';
import { tableName } from '../table/client.ts';
import { partition } from '../table/keys.ts';
import { any, below, missing, update } from '../table/language.ts';
import { repeat } from '../table/retry.ts';
import type { Key } from '../table/schema.ts';
import { getMany, rowsOf, writeUnstamped } from '../table/table.ts';

/** A sum of a day. The last two are the amounts by which all customers' balances of each type grew. */
export type DaySum = AnsweredSum | 'regularNet' | 'restrictedNet';

/** A sum that would be 0 is absent. */
export type DaySums = Partial<Record<DaySum, number>>;

/**
 * The sums of a day in a store. Its checkpoint, an attribute for each shard of the table's stream, is the number of the
 * last record that the sums count.
 */
export type DayItem = Key & DaySums & { readonly [checkpoint: `shard_${string}`]: string };

/** The date of a timestamp of the contract: `YYYY-MM-DD`, in UTC. */
export const dayOf = (at: string): string => at.slice(0, 10);

/** The item of a store's day, or of one vendor's sales on that day. */
export const dayKey = (store: string, day: string, vendor?: string): Key => ({
  pk: partition(store, 'DAY', vendor),
  sk: day,
});

/** The sums of a day's item, without its key and checkpoints. */
export const sumsOf = (item: object): DaySums =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => typeof value === 'number'));

/** Adds sums to others. */
export const plus = (sums: DaySums, more: DaySums): DaySums => {
  const total = { ...sums };
  for (const [name, value] of Object.entries(more) as [DaySum, number][]) total[name] = (total[name] ?? 0) + value;
  return total;
};

/** The sums that a record adds to the day of `at`. */
export interface DayCount {
  at: string;
  sums: DaySums;
  /** The vendor of a counted sale. The sums count in the vendor's days too. */
  vendor?: string | undefined;
  /** The place of the record in its shard: `sequenceText` of its number. */
  sequence: string;
}

/** A record's number in its shard, of up to 40 digits, as a text. Such texts sort like the numbers. */
export const sequenceText = (number: string): string => {
  const digits = number.replace(/^0+/, '');
  return `${String(digits.length).padStart(2, '0')}${digits}`;
};

const checkpointOf = (shard: string): `shard_${string}` =>
  `shard_${createHash('sha256').update(shard).digest('hex').slice(0, 12)}`;

/** The last checkpoints that this process has seen, by table, day and shard. The present checkpoint is never lower. */
const seen = perProcess(() => new Map<string, string>());
const maxSeen = 10_000;

const nameOf = ({ pk, sk }: Key, shard: string): string => [tableName(), pk, sk, shard].join(' ');

const note = (name: string, checkpoint: string): void => {
  const all = seen();
  if (all.size > maxSeen) all.clear();
  all.set(name, checkpoint);
};

/** The checkpoints of a shard in some days, as they were at an earlier time: empty if a day has none. */
export const checkpointsSeen = async (
  store: string,
  shard: string,
  days: readonly string[],
): Promise<(day: string) => string> => {
  const checkpoint = checkpointOf(shard);
  const name = (day: string): string => nameOf(dayKey(store, day), shard);
  const unseen = days.filter((day) => !seen().has(name(day)));
  const found = await getMany<DayItem>(
    unseen.map((day) => dayKey(store, day)),
    { attributes: [checkpoint] },
  );
  for (const day of unseen) note(name(day), found.find(({ sk }) => sk === day)?.[checkpoint] ?? '');
  const known = new Map(days.map((day) => [day, seen().get(name(day)) ?? '']));
  return (day) => known.get(day) ?? '';
};

/** Adds the counts of a shard's records to the item of one day. Answers the counts that the item had already. */
const countDay = async <T extends DayCount>(key: Key, shard: string, counts: readonly T[]): Promise<T[]> => {
  const checkpoint = checkpointOf(shard);
  let left = counts.toSorted((a, b) => (a.sequence < b.sequence ? -1 : 1));
  return repeat(async () => {
    const [first, last] = [left[0], left.at(-1)] as [T, T];
    const add = left.reduce<DaySums>((sums, one) => plus(sums, one.sums), {}) as Record<string, number>;
    // One write sets the sums and their checkpoint, so no consumer can die between the two.
    const set = { [checkpoint]: last.sequence };
    const when = any(missing(checkpoint), below(checkpoint, first.sequence));
    const outcome = await writeUnstamped<DayItem>(update(key, { add, set, when }));
    const reached = outcome.done ? '' : (outcome.found?.[checkpoint] ?? '');
    note(nameOf(key, shard), outcome.done ? last.sequence : reached);
    const isCounted = ({ sequence }: T): boolean => sequence <= reached;
    const earlier = [...counts.filter((one) => !left.includes(one)), ...left.filter(isCounted)];
    left = left.filter((one) => !isCounted(one));
    return outcome.done || left.length === 0 ? { result: earlier } : undefined;
  });
};

/**
 * Adds the counts of a shard's records to the days of a store. Each record is counted once, even if its batch comes
 * back, is cut in another place, or its consumer dies: AWS hands out the records of a shard in their order, and none
 * before all earlier ones were taken. Answers the counts that the days had already: the day's checkpoint has passed
 * their records.
 */
export const countInDays = async <T extends DayCount>(
  store: string,
  shard: string,
  counts: readonly T[],
): Promise<T[]> => {
  const some = counts.filter(({ sums }) => Object.keys(sums).length > 0);
  const earlier: T[] = [];
  for (const [day, ofDay] of Map.groupBy(some, ({ at }) => dayOf(at)))
    earlier.push(...(await countDay(dayKey(store, day), shard, ofDay)));
  // The items of vendors have checkpoints of their own, so a consumer that dies in between skips none of them.
  for (const [vendor, ofVendor] of Map.groupBy(some, (one) => one.vendor))
    if (vendor !== undefined)
      for (const [day, ofDay] of Map.groupBy(ofVendor, ({ at }) => dayOf(at)))
        await countDay(dayKey(store, day, vendor), shard, ofDay);
  return earlier;
};

const withoutZeros = (sums: DaySums): DaySums =>
  Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0));

/** The L$ of a sale that go to others, by the kind of their part. */
const partsOfOthers = (shares: SaleItem['shares']) => {
  const sumOf = (kind: 'share' | 'commission'): number =>
    shares.reduce((sum, part) => sum + (part.kind === kind ? part.amount : 0), 0);
  return { shares: sumOf('share'), commissions: sumOf('commission') };
};

/** The sums that a row of history adds to its day. */
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

/** The sums that a completed sale adds to its day. */
export const sumsOfSale = ({ paid, change, shares }: Pick<SaleItem, 'paid' | 'change' | 'shares'>): DaySums => ({
  sales: 1,
  paid: paid - change,
  ...withoutZeros(partsOfOthers(shares)),
});

/** The sums that the refund of a sale adds to the day of the refund. */
export const sumsOfRefund = ({ paid, change, shares }: Pick<SaleItem, 'paid' | 'change' | 'shares'>): DaySums => {
  const parts = partsOfOthers(shares);
  return {
    refunds: 1,
    refunded: paid - change,
    ...withoutZeros({ shares: -parts.shares, commissions: -parts.commissions }),
  };
};

const dayMillis = 86_400_000;

const startOfDay = (day: string): number => Date.parse(`${day}T00:00:00Z`);

const maxDays = 366;

const noSums: Record<AnsweredSum, number> = {
  sales: 0,
  refunds: 0,
  paid: 0,
  refunded: 0,
  shares: 0,
  commissions: 0,
  creditAdded: 0,
  creditRemoved: 0,
  creditSpent: 0,
  creditExpired: 0,
  giftCardsGranted: 0,
  giftCardsRedeemed: 0,
  delivered: 0,
  failed: 0,
};

const spanOf = ({ from, to = dayOf(timestamp(now())) }: DayQuery): { first: string; last: string } => {
  const first = from ?? dayOf(timestamp(startOfDay(to) - 29 * dayMillis));
  if (first > to) throw invalid(`from must not be after to, which is ${to}.`);
  if (startOfDay(to) - startOfDay(first) >= maxDays * dayMillis)
    throw invalid(`from and to must span at most ${maxDays} days.`);
  return { first, last: `${to}~` };
};

/** The days on which a vendor sold something, or on which one of its sales was refunded. */
const daysOfVendor = async (store: string, vendor: string, span: { first: string; last: string }): Promise<Days> => {
  const days = await rowsOf<DayItem>({ partition: partition(store, 'DAY', vendor), ...span })({ descending: false });
  return {
    data: days.map(({ sk: day, sales = 0, refunds = 0, paid = 0, refunded = 0, shares = 0, commissions = 0 }) => ({
      day,
      sales,
      refunds,
      paid,
      refunded,
      shares,
      commissions,
    })),
  };
};

/**
 * The days of a store, or of one of its vendors, on which something happened, oldest first. A store's days have the
 * credit that all customers held at their end. By default the last 30 days. Throws 400 for more than 366 days, or if
 * the first is after the last.
 */
export const getDays = async (store: string, query: DayQuery): Promise<Days> => {
  const { first, last } = spanOf(query);
  if (query.vendor !== undefined) return daysOfVendor(store, query.vendor, { first, last });
  // A balance is the sum over all days up to its own.
  const parts = await rowsOf<DayItem>({ partition: partition(store, 'DAY'), last })({ descending: false });
  const days = new Map<string, DaySums>();
  for (const part of parts) days.set(dayOf(part.sk), plus(days.get(dayOf(part.sk)) ?? {}, sumsOf(part)));
  const held = { credit: 0, restrictedCredit: 0 };
  const data: Days['data'] = [];
  for (const [day, { regularNet = 0, restrictedNet = 0, ...sums }] of days) {
    held.credit += regularNet;
    held.restrictedCredit += restrictedNet;
    if (day >= first) data.push({ day, ...noSums, ...sums, ...held });
  }
  return { data };
};
