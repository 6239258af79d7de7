import { getResident } from '../avatars/customers.ts';
import { claimRedelivery, leaveUnconfirmed, redeliveryPauseMillis } from '../avatars/owned.ts';
import { findResident, type Resident } from '../avatars/residents.ts';
import { getProductItem } from '../catalogue/products.ts';
import { now, timestamp } from '../clock.ts';
import type { Identifier } from '../identifier.ts';
import { invalid, notFound } from '../problem.ts';
import type { Product } from '../routes/products.ts';
import { ownedKey } from '../table/keys.ts';
import type { Write } from '../table/language.ts';
import { futureIdOutside, idOutside } from '../table/table.ts';
import { type Delivery, lastOrderSince, reopenDelivery } from './deliveries.ts';
import { sendForRequest } from './queue.ts';
import { isRefunded } from './refunded.ts';

/** Puts the order on the queue, and answers it. Throws 503 if the queue does not confirm the message. */
const send = async (
  store: string,
  id: string,
  { id: productId, item }: Pick<Product, 'id' | 'item'>,
  resident: Resident,
  message: string,
) => {
  const recipient = { recipientUuid: resident.uuid, recipientUsername: resident.username };
  const order = { store, id, productId, ...recipient, item, message, createdAt: timestamp(now()) };
  await sendForRequest({ kind: 'deliver', ...order });
  return { productId, ...recipient, queued: true, message, deliveryId: id };
};

/**
 * Orders the delivery of a product. Writes nothing to the table: the message in the queue is the order. A repeated
 * request with its Idempotency-Key orders the same delivery again, which is given once. Throws 404 for an unknown or
 * inactive product, 400 for an unknown recipient, and 503 if the queue does not confirm the message.
 */
export const orderDelivery = async (store: string, productId: string, recipient: Identifier, message: string) => {
  const [product, resident] = await Promise.all([getProductItem(store, productId), findResident(store, recipient)]);
  if (!product.active) throw notFound();
  if (!resident) throw invalid('recipientIdentifier names a resident who does not exist.');
  return send(store, idOutside(), product, resident, message);
};

/**
 * Orders the delivery of a product to a customer who owns it and may have copies, even if the product is not sold any
 * more. Throws 404 for an unknown resident or product. Throws 400 for a customer who does not own it, for a product
 * without copies, and within 60 seconds after a sale or another delivery of it to them. Throws 503 if the queue does
 * not confirm the message. The writes of `together` are in the transaction that claims the redelivery.
 */
export const redeliver = async (
  store: string,
  customer: Identifier,
  productId: string,
  message: string,
  together?: readonly Write[],
) => {
  const [product, resident] = await Promise.all([getProductItem(store, productId), getResident(store, customer)]);
  const by = futureIdOutside();
  const of = { store, recipientUuid: resident.uuid, productId };
  // A delivery from `orderDelivery` has no record before its first attempt, so it is not found earlier.
  const lastOrderAt = await lastOrderSince(now() - redeliveryPauseMillis, of);
  const refuseOwner = () => {
    if (!product.permissions.copy) throw invalid('The customer may not have copies of the product.');
  };
  const key = ownedKey(store, resident.uuid, productId);
  const mark = await claimRedelivery(key, by, { refuseOwner, lastOrderAt }, together);
  try {
    return await send(store, mark.id, product, resident, message);
  } catch (error) {
    // If this note fails, the customer waits for a minute.
    await leaveUnconfirmed(key, mark).catch(() => undefined);
    throw error;
  }
};

const made = 'The delivery was made already: order a new one.';
const refunded = 'The sale was refunded: its delivery is not made any more.';

/**
 * Tries a waiting or failed delivery again, for another 14 days. With `hanging` also a queued one, if the queue may not
 * have its message. Answers the delivery after that. The record is written before the message, since a worker drops the
 * message of a failed delivery. If the queue does not confirm the message, the record is put back, so that the request
 * can be repeated. Throws 404 for an unknown delivery, 400 in any other state and if the sale was refunded, and 503 if
 * the queue does not confirm the message.
 */
export const retryDelivery = async (store: string, id: string, { hanging = false } = {}): Promise<Delivery> => {
  const { delivery, order, undo } = await reopenDelivery(store, id, futureIdOutside(), async ({ state, saleId }) => {
    if (state === 'delivered') return invalid(made);
    if (state === 'queued' && !hanging) return invalid('The delivery is queued already: it will be tried.');
    return saleId !== undefined && (await isRefunded(store, saleId)) ? invalid(refunded) : undefined;
  });
  if (!order) return delivery;
  try {
    await sendForRequest(order);
  } catch (error) {
    // If the table fails too, the delivery is queued without a message. Then the same request with its Idempotency-Key,
    // or the operator, sends it again.
    await undo().catch(() => undefined);
    throw error;
  }
  return delivery;
};
