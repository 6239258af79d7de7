import { now, timestamp } from '../clock.ts';
import type { Identifier } from '../identifier.ts';
import { invalid, notFound } from '../problem.ts';
import { getProduct } from '../store/products.ts';
import { findResident } from '../store/residents.ts';
import { idOutside } from '../table/table.ts';
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
