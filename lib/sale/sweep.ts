import { now, source, timestamp } from '../clock.ts';
import { findDelivery, salesWithDelivery } from '../delivery/deliveries.ts';
import type { Order } from '../delivery/message.ts';
import { deliveryQueue, RefusedMessagesError, sendMessages } from '../delivery/queue.ts';
import { keepDays } from '../delivery/settings.ts';
import { demandKnown, isLater } from '../shape.ts';
import { listStores } from '../store/stores.ts';
import { partition, storeOf } from '../table/keys.ts';
import { update } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { getMany, inChunks, pagesOf, write } from '../table/table.ts';
import { isOwed, type SaleItem, stateList } from './sales.ts';
import { logUnsent, orderOf } from './unsent.ts';

/**
 * Looks through the completed sales of all stores for sales whose delivery no worker has, and orders the delivery. No
 * list holds only these sales: each sale would pay for its place there three times, and hardly ever need it.
 */

/** Sales younger than this are left to the stream's consumer. */
const graceMillis = 30_000;

/**
 * A sale has the time at which its request began, and the list is an index. So a sale may appear in the list later than
 * another one that was made after it. After this time all sales are in the list.
 */
const showsMillis = 15 * 60_000;

const dayMillis = 86_400_000;

/**
 * The greatest age of a sale that the sweep looks at, after the queue took nothing for a long time. The record of an
 * older delivery may be gone; the sweep would take it for a delivery that was never made.
 */
const oldestMillis = 2 * keepDays * dayMillis;

/**
 * How far the sweep has come with a store's sales. Each value is a place in the list of completed sales; all sales
 * before it have their delivery, or its order. The sweep never passes a sale whose order fails.
 */
interface Progress {
  /** The place of the first look at each sale. */
  first?: string | undefined;
  /** The place of the second look, which begins when no earlier sale can still appear in the list. */
  second?: string | undefined;
  /** The place of the present look through the sales of two weeks. */
  daily?: string | undefined;
  /** When the last look through two weeks began. */
  begunAt?: string | undefined;
}

const progressKey = (store: string): Key => ({ pk: partition(store, 'SALE', 'progress'), sk: 'progress' });

/** A part of the list of completed sales; `to` itself is not in it. */
interface Stretch {
  look: 'first' | 'second' | 'daily';
  from: string;
  to: string;
}

/** The stretches of the list that must be looked at now. The newest sales come first. */
const stretchesOf = ({ first, second, daily, begunAt }: Progress, at: number): Stretch[] => {
  const ago = (millis: number): string => timestamp(at - millis);
  const shown = ago(showsMillis);
  // A place in the future counts as none: a local service's clock goes back when the service starts again.
  const startOf = (place: string | undefined, atLeast: string): string =>
    place !== undefined && place > atLeast && place <= ago(0) ? place : atLeast;
  const trailing = startOf(second, ago(oldestMillis));
  const isDue = begunAt !== undefined && begunAt <= ago(dayMillis);
  const past = daily ?? (isDue ? ago(keepDays * dayMillis) : trailing);
  return [
    { look: 'first', from: startOf(first, shown), to: ago(graceMillis - 1) },
    { look: 'second', from: trailing, to: shown },
    { look: 'daily', from: startOf(past, ago(oldestMillis)), to: trailing },
  ].filter(({ from, to }) => from < to) as Stretch[];
};

const pageSize = 500;

/** The completed sales of a stretch as rows of the list, in pages. */
const salesIn = (store: string, { from, to }: Stretch): AsyncGenerator<SaleItem[]> =>
  pagesOf<SaleItem>({ partition: stateList(store, 'completed'), index: 'byRank', first: from, last: to }, pageSize);

/** The sales of a page whose delivery no worker has begun. The read that tells this may be a moment old. */
const withoutDelivery = async (store: string, rows: readonly SaleItem[]): Promise<SaleItem[]> => {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return [];
  const timeOf = ({ rank }: SaleItem): number => Date.parse(rank.slice(0, rank.indexOf('#')));
  const begun = await salesWithDelivery(store, timeOf(first), timeOf(last));
  const sales = await getMany<SaleItem>(
    rows.filter(({ sk }) => !begun.has(sk)),
    { consistent: true },
  );
  return sales.filter((sale) => isLater(sale) || isOwed(sale));
};

const progressOf = async (stores: readonly string[]): Promise<Map<string, Progress>> => {
  const found = await getMany<Progress & Key>(stores.map(progressKey));
  return new Map(found.map((progress) => [storeOf(progress), progress]));
};

const liveStores = async (): Promise<string[]> =>
  (await listStores()).filter(({ deletedAt }) => deletedAt === undefined).map(({ id }) => id);

/** The completed sales that the next sweep would look at and whose delivery no worker has begun; in pages. */
export async function* unsentSales(): AsyncGenerator<SaleItem[]> {
  const stores = await liveStores();
  const progress = await progressOf(stores);
  for (const store of stores)
    for (const stretch of stretchesOf(progress.get(store) ?? {}, now()))
      for await (const rows of salesIn(store, stretch)) yield await withoutDelivery(store, rows);
}

/** The work of a sweep. */
interface Ordered {
  /** Sales whose delivery it ordered, and sales for which the order failed: the log says why, and they stay unsent. */
  ordered: number;
  failed: number;
}

/** The work that one sweep does for the sales of one store. */
interface Run {
  done: Ordered & {
    /** The queue takes nothing. A call to it may last seconds, for each store again. */
    isQueueDown: boolean;
  };
  hasTime: () => boolean;
}

type Failed = (sale: SaleItem, error: unknown) => void;

/** The sales whose delivery no worker has yet. A sale that cannot be read is left to the next sweep. */
const notBegun = async (sales: readonly SaleItem[], failed: Failed): Promise<SaleItem[]> => {
  const looks = sales.map(async (sale) => {
    try {
      const { store, id } = orderOf(demandKnown(sale));
      if (!(await findDelivery(store, id))) return [sale];
    } catch (error) {
      failed(sale, error);
    }
    return [];
  });
  return (await Promise.all(looks)).flat();
};

/** Orders at most ten deliveries of one store. Answers how many the queue has; throws if it takes none. */
const orderTogether = async (store: string, sales: readonly SaleItem[], failed: Failed): Promise<number> => {
  const orders = sales.map(orderOf);
  try {
    await sendMessages(store, orders);
  } catch (error) {
    if (!(error instanceof RefusedMessagesError)) throw error;
    const refused = sales.filter((_, index) => error.messages.includes(orders[index] as Order));
    for (const sale of refused) failed(sale, error);
    return sales.length - refused.length;
  }
  return sales.length;
};

/** Orders the deliveries of at most ten sales, unless workers have them. Answers the sales for which it failed. */
const orderMissing = async (store: string, sales: readonly SaleItem[], run: Run): Promise<SaleItem[]> => {
  if (!run.hasTime()) return [...sales];
  const left: SaleItem[] = [];
  const failed: Failed = (sale, error) => {
    left.push(sale);
    run.done.failed += 1;
    logUnsent('ERROR', sale, error);
  };
  const open = await notBegun(sales, failed);
  if (open.length === 0) return left;
  try {
    run.done.ordered += await orderTogether(store, open, failed);
  } catch (error) {
    for (const sale of open) failed(sale, error);
    run.done.isQueueDown = true;
  }
  return left;
};

/** The end of a look at a stretch: the place before which no sale was left out, and whether there was any sale. */
interface Looked {
  reached: string;
  isEmpty: boolean;
}

/** Orders the missing deliveries of a stretch. */
const lookAt = async (store: string, stretch: Stretch, run: Run): Promise<Looked> => {
  const left: string[] = [];
  let isEmpty = true;
  for await (const rows of salesIn(store, stretch)) {
    const [first] = rows;
    if (!first) continue;
    isEmpty = false;
    if (!run.hasTime()) {
      left.push(first.rank);
      break;
    }
    for (const piece of inChunks(await withoutDelivery(store, rows), deliveryQueue.batchSize))
      left.push(...(await orderMissing(store, piece, run)).map(({ rank }) => rank));
  }
  return { reached: left.sort()[0] ?? stretch.to, isEmpty };
};

/** The progress after a look. If the stretch was empty it stays as it was, which saves the write. */
const movedOn = (before: Progress, { look, to }: Stretch, { reached, isEmpty }: Looked, at: string) => {
  const begunAt = before.begunAt ?? at;
  if (look !== 'daily') return isEmpty ? before : { ...before, begunAt, [look]: reached };
  const isNew = before.daily === undefined;
  return { ...before, begunAt: isNew ? at : begunAt, daily: reached === to ? undefined : reached };
};

/**
 * The time that a store has before others have their turn. After a long outage, or for two weeks of a busy store, there
 * is much to do.
 */
const turnMillis = 5000;

/** Looks at all stretches of a store's sales that are due, and notes how far it came. */
const lookAfter = async (store: string, before: Progress, { done, hasTime }: Run): Promise<void> => {
  const at = now();
  const run = { done, hasTime: () => hasTime() && !done.isQueueDown && now() < at + turnMillis };
  let progress = before;
  for (const stretch of stretchesOf(before, at))
    progress = movedOn(progress, stretch, await lookAt(store, stretch, run), timestamp(at));
  const { first, second, daily, begunAt } = progress;
  if (progress !== before) await write(update(progressKey(store), { set: { first, second, daily, begunAt } }));
};

const sideBySide = 10;

/**
 * Orders the deliveries of completed sales that no worker has, in all stores, for as long as `hasTime` allows, and
 * until the queue fails. A delivery that is ordered twice is made once. If the sales of a store could not be read, it
 * throws after all stores had their turn.
 */
export const sendUnsent = async (hasTime: () => boolean = () => true): Promise<Ordered> => {
  const done = { ordered: 0, failed: 0, isQueueDown: false };
  const all = await liveStores();
  // It begins with a random store, so that it is not always the same stores that are left when the time is up.
  const start = Math.floor(source.random() * all.length);
  const stores = [...all.slice(start), ...all.slice(0, start)];
  const progress = await progressOf(stores);
  const errors: unknown[] = [];
  for (const some of inChunks(stores, sideBySide)) {
    const looks = some.map((store) => lookAfter(store, progress.get(store) ?? {}, { done, hasTime }));
    for (const look of await Promise.allSettled(looks)) if (look.status === 'rejected') errors.push(look.reason);
    if (done.isQueueDown || !hasTime()) break;
  }
  if (errors.length > 0) throw errors[0];
  return { ordered: done.ordered, failed: done.failed };
};
