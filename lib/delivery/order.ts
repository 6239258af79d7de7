import { now, timestamp } from '../clock.ts';
import type { Identifier } from '../identifier.ts';
import { invalid, notFound } from '../problem.ts';
import { getProduct } from '../store/products.ts';
import { findResident } from '../store/residents.ts';
import { idOutside } from '../table/table.ts';
import { type Delivery, reopenDelivery } from './deliveries.ts';
import { sendForRequest } from './queue.ts';

/**
 * Orders the delivery of a product. Writes nothing to the table: the message in the queue is the order. A request that is
 * sent again with its Idempotency-Key orders the same delivery again, which is given once. Throws 404 for an unknown or
 * inactive product, 400 for an unknown recipient, 503 if the queue does not confirm the message.
 */
export const orderDelivery = async (store: string, productId: string, recipient: Identifier, message: string) => {
  const [product, resident] = await Promise.all([getProduct(store, productId), findResident(store, recipient)]);
  if (!product.active) throw notFound();
  if (!resident) throw invalid('recipientIdentifier names a resident who does not exist.');
  const recipientFields = { recipientUuid: resident.uuid, recipientUsername: resident.username };
  const order = { store, id: idOutside(), productId, ...recipientFields, item: product.item, message };
  await sendForRequest({ kind: 'deliver', ...order, createdAt: timestamp(now()) });
  return { productId, ...recipientFields, queued: true, message, deliveryId: order.id };
};

const made = 'The delivery was made already: order a new one.';

/**
 * Tries a delivery again that waits or has failed, for another 14 days; a `hanging` one too, which is queued though the
 * queue may not have it. Answers it as it is then. The record is written before the message, since a worker drops the message
 * of a delivery that has failed; without the queue's word the record is put back, so that the request can be repeated.
 * Throws 404 for an unknown delivery, 400 in any other state, 503 if the queue does not confirm the message.
 */
export const retryDelivery = async (store: string, id: string, { hanging = false } = {}): Promise<Delivery> => {
  const { delivery, order, undo } = await reopenDelivery(store, id, idOutside(), (state) => {
    if (state === 'delivered') return invalid(made);
    if (state === 'queued' && !hanging) return invalid('The delivery is queued already: it will be tried.');
    return undefined;
  });
  if (!order) return delivery;
  try {
    await sendForRequest(order);
  } catch (error) {
    // If the table fails too, the delivery hangs: the same request with its Idempotency-Key, or the operator, sends it again.
    await undo().catch(() => undefined);
    throw error;
  }
  return delivery;
};
