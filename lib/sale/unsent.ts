import { createHash } from 'node:crypto';
import { now } from '../clock.ts';
import { hasDelivery } from '../delivery/deliveries.ts';
import type { Order } from '../delivery/message.ts';
import { sendMessages } from '../delivery/queue.ts';
import { logSink } from '../log.ts';
import { is, update } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { getMany, pagesOf, write } from '../table/table.ts';
import type { SaleItem } from './sales.ts';

/**
 * The delivery of a completed sale is ordered because the sale is there. The request that made the sale puts it on the queue at
 * once; the sweep does so for each sale of which no worker has the delivery yet, and then notes that it is ordered.
 */

const shardCount = 8;

const shardOf = (shard: number): string => `SALE#UNSENT#${shard}`;

/** The list of sales whose delivery may not be ordered yet: one of several partitions, since all stores share it. */
export const unsentList = (id: string): string =>
  shardOf((createHash('sha256').update(id).digest()[0] ?? 0) % shardCount);

/** The order of a completed sale's delivery. */
const orderOf = (sale: SaleItem): Order => {
  const { pk, sk, productId, deliveryId, recipientUuid, recipientUsername = '', item = '', message = '', at } = sale;
  const store = pk.slice(0, pk.indexOf('#'));
  const recipient = { recipientUuid: recipientUuid ?? '', recipientUsername };
  const of = { store, id: deliveryId ?? '', productId, item, message, createdAt: at, saleId: sk };
  return { kind: 'deliver', ...of, ...recipient };
};

const logFailure = (level: 'WARN' | 'ERROR', { sk }: SaleItem, error: unknown): void =>
  logSink.write({ level, unsent: sk, stack: error instanceof Error ? error.stack : String(error) });

/** Orders the delivery of a sale that was just made. Never throws: what fails here is left to the sweep. */
export const sendNow = async (sale: SaleItem): Promise<void> => {
  const order = orderOf(sale);
  try {
    await sendMessages(order.store, [order]);
  } catch (error) {
    logFailure('WARN', sale, error);
  }
};

/** Younger sales are left to the requests that made them. */
const graceMillis = 30_000;

const pageSize = 100;

/**
 * Orders the deliveries of completed sales that no worker has yet, for as long as `mayGoOn` allows. One that is ordered twice
 * is given once. Answers how many it ordered.
 */
export const sendUnsent = async (mayGoOn: () => boolean = () => true): Promise<number> => {
  let ordered = 0;
  const send = async (sale: SaleItem): Promise<void> => {
    const order = orderOf(sale);
    if (!(await hasDelivery(order.store, order.id))) {
      await sendMessages(order.store, [order]);
      ordered += 1;
    }
    await write(update(sale, { set: { flags: undefined }, when: is('flags', sale.flags) }));
  };
  for (let shard = 0; shard < shardCount; shard++)
    for await (const rows of pagesOf<Key>({ partition: shardOf(shard), index: 'byFlags' }, pageSize)) {
      if (rows.length > 0 && !mayGoOn()) return ordered;
      const sales = await getMany<SaleItem>(rows, { consistent: true });
      const isOpen = ({ flags, at }: SaleItem): boolean => flags !== undefined && Date.parse(at) <= now() - graceMillis;
      for (const sale of sales.filter(isOpen)) await send(sale).catch((error) => logFailure('ERROR', sale, error));
    }
  return ordered;
};
