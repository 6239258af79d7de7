import type { Order } from '../delivery/message.ts';
import { sendMessages } from '../delivery/queue.ts';
import { logSink } from '../log.ts';
import { storeOf } from '../table/keys.ts';
import type { SaleItem } from './sales.ts';

/**
 * Orders the deliveries of completed sales. The consumer of the table's stream sees every new sale and orders its
 * delivery; the sweep (sweep.ts) orders the ones that are missing.
 */

/** The order of a completed sale's delivery. */
export const orderOf = (sale: SaleItem): Order => {
  const { pk, sk, productId, deliveryId, recipientUuid, recipientUsername = '', item = '', message = '', at } = sale;
  const store = storeOf({ pk });
  const recipient = { recipientUuid: recipientUuid ?? '', recipientUsername };
  const of = { store, id: deliveryId ?? '', productId, item, message, createdAt: at, saleId: sk };
  return { kind: 'deliver', ...of, ...recipient };
};

export const logUnsent = (level: 'WARN' | 'ERROR', { sk }: SaleItem, error: unknown): void =>
  logSink.write({ level, unsent: sk, stack: error instanceof Error ? error.stack : String(error) });

/**
 * Orders the deliveries of a store's new sales, with one message each. Never throws: a sale for which it fails is left
 * to the sweep, so that an outage of the queue does not hold up the stream.
 */
export const orderDeliveries = async (store: string, sales: readonly SaleItem[]): Promise<void> => {
  try {
    await sendMessages(store, sales.map(orderOf));
  } catch (error) {
    for (const sale of sales) logUnsent('WARN', sale, error);
  }
};
