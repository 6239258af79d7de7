import { createHash } from 'node:crypto';
import { now } from '../clock.ts';
import { findDelivery } from '../delivery/deliveries.ts';
import type { Order } from '../delivery/message.ts';
import { deliveryQueue, MessagesRefused, sendMessages } from '../delivery/queue.ts';
import { logSink } from '../log.ts';
import { demandKnown } from '../shape.ts';
import { is, update } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { getMany, inChunks, pagesOf, write } from '../table/table.ts';
import type { SaleItem } from './sales.ts';

/**
 * The delivery of a completed sale is ordered because the sale is there: by the consumer of the table's stream, which
 * sees every new sale; and by the sweep, for each sale of which nothing has noted for a while that its delivery is
 * ordered.
 */

const shardCount = 8;

const shardOf = (shard: number): string => `SALE#UNSENT#${shard}`;

/** The list of sales whose delivery may not be ordered yet: one of several partitions, since all stores share it. */
export const unsentList = (id: string): string =>
  shardOf((createHash('sha256').update(id).digest()[0] ?? 0) % shardCount);

/** The order of a completed sale's delivery. */
export const orderOf = (sale: SaleItem): Order => {
  const { pk, sk, productId, deliveryId, recipientUuid, recipientUsername = '', item = '', message = '', at } = sale;
  const store = pk.slice(0, pk.indexOf('#'));
  const recipient = { recipientUuid: recipientUuid ?? '', recipientUsername };
  const of = { store, id: deliveryId ?? '', productId, item, message, createdAt: at, saleId: sk };
  return { kind: 'deliver', ...of, ...recipient };
};

const logFailure = (level: 'WARN' | 'ERROR', { sk }: SaleItem, error: unknown): void =>
  logSink.write({ level, unsent: sk, stack: error instanceof Error ? error.stack : String(error) });

/** Notes that the delivery of a sale is ordered: from then on the sweep does not find it. */
const noteOrdered = (sale: SaleItem): Promise<unknown> =>
  write(update(sale, { set: { flags: undefined }, when: is('flags', sale.flags) }));

type Failed = (sale: SaleItem, error: unknown) => void;

const noteAll = async (sales: readonly SaleItem[], failed: Failed): Promise<void> => {
  await Promise.all(sales.map((sale) => noteOrdered(sale).catch((error) => failed(sale, error))));
};

/**
 * Orders the deliveries of new sales of a store, with one message each. Never throws: a sale for which it fails is left
 * to the sweep, so that an outage of the queue does not hold up the stream.
 */
export const orderDeliveries = async (store: string, sales: readonly SaleItem[]): Promise<void> => {
  const failed: Failed = (sale, error) => logFailure('WARN', sale, error);
  try {
    await sendMessages(store, sales.map(orderOf));
  } catch (error) {
    for (const sale of sales) failed(sale, error);
    return;
  }
  await noteAll(sales, failed);
};

/** Younger sales are left to the consumer of the stream. */
const graceMillis = 30_000;

const pageSize = 100;

/** The completed sales whose delivery nothing has ordered, or noted as ordered, for a while; in pages. */
export async function* unsentSales(): AsyncGenerator<SaleItem[]> {
  for (let shard = 0; shard < shardCount; shard++)
    for await (const rows of pagesOf<Key>({ partition: shardOf(shard), index: 'byFlags' }, pageSize)) {
      const sales = await getMany<SaleItem>(rows, { consistent: true });
      yield sales.filter(({ flags, at }) => flags !== undefined && Date.parse(at) <= now() - graceMillis);
    }
}

/** Those sales whose delivery no worker has yet. One that cannot be read is left to the next sweep. */
const notBegun = async (sales: readonly SaleItem[], failed: Failed): Promise<SaleItem[]> => {
  const looks = sales.map(async (sale) => {
    try {
      const { store, id } = orderOf(demandKnown(sale));
      if (!(await findDelivery(store, id))) return [sale];
      await noteOrdered(sale);
    } catch (error) {
      failed(sale, error);
    }
    return [];
  });
  return (await Promise.all(looks)).flat();
};

/** Orders at most ten deliveries of one store. Answers those that the queue has; throws where it takes none. */
const orderTogether = async (store: string, sales: readonly SaleItem[], failed: Failed): Promise<SaleItem[]> => {
  const orders = sales.map(orderOf);
  try {
    await sendMessages(store, orders);
  } catch (error) {
    if (!(error instanceof MessagesRefused)) throw error;
    const isRefused = (_: SaleItem, index: number): boolean => error.messages.includes(orders[index] as Order);
    for (const sale of sales.filter(isRefused)) failed(sale, error);
    return sales.filter((sale, index) => !isRefused(sale, index));
  }
  return [...sales];
};

/** Sales in pieces of one store and one message each, as many as a call of the queue takes. */
const piecesOf = (sales: readonly SaleItem[]): [store: string, sales: SaleItem[]][] =>
  Object.entries(Object.groupBy(sales, (sale) => orderOf(sale).store)).flatMap(([store, some = []]) =>
    inChunks(some, deliveryQueue.batchSize).map((piece): [string, SaleItem[]] => [store, piece]),
  );

/** Sales whose delivery one look ordered, and those for which it failed: the log says why, and they stay unsent. */
interface Ordered {
  ordered: number;
  failed: number;
}

/**
 * Orders the deliveries of completed sales that no worker has yet, for as long as `mayGoOn` allows, and until the queue
 * fails: that may take seconds, and would for each sale. One that is ordered twice is given once.
 */
export const sendUnsent = async (mayGoOn: () => boolean = () => true): Promise<Ordered> => {
  const result: Ordered = { ordered: 0, failed: 0 };
  const failed: Failed = (sale, error) => {
    result.failed += 1;
    logFailure('ERROR', sale, error);
  };
  for await (const sales of unsentSales())
    for (const [store, piece] of piecesOf(sales)) {
      if (!mayGoOn()) return result;
      const open = await notBegun(piece, failed);
      if (open.length === 0) continue;
      try {
        const taken = await orderTogether(store, open, failed);
        result.ordered += taken.length;
        await noteAll(taken, failed);
      } catch (error) {
        for (const sale of open) failed(sale, error);
        return result;
      }
    }
  return result;
};
