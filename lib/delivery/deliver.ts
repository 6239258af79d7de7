import { now, source } from '../clock.ts';
import { noteDelivered } from '../store/owned.ts';
import { isRefunded } from '../store/sale-state.ts';
import { findStore } from '../store/stores.ts';
import { callDispenser, type Outcome } from './call.ts';
import {
  claimDelivery,
  clearWaits,
  completeDelivery,
  type Delivery,
  failDelivery,
  letWait,
  listWaits,
  refundedError,
  releaseDelivery,
  type Wait,
} from './deliveries.ts';
import { type Dispenser, findDispenser, loseAddress, secretsOf } from './dispensers.ts';
import { type DeliveryMessage, dispenserBody, type Order, type QueueMessage } from './message.ts';
import { sendMessages } from './queue.ts';
import { callTimeoutMillis, firstRetrySeconds, keepDays, leaseMillis, maxAttemptsInARow } from './settings.ts';

/** A handled message is deleted, or comes back after `againSeconds`. `outcome` is for the log. */
export type Handling = { outcome: string; againSeconds?: number };

/**
 * Doubling from the first pause up to 15 minutes, with jitter, so that deliveries that failed together do not return
 * together.
 */
const retrySeconds = (attempt: number): number =>
  Math.ceil(Math.min(firstRetrySeconds() * 2 ** (attempt - 1), 900) * (0.75 + source.random() / 2));

/** A later attempt has begun. The message comes back once more, to see how that attempt ended. */
const overtaken: Handling = { outcome: 'overtaken', againSeconds: 1 };

/** The message comes back, and the delivery is tried again at once. */
const atOnce: Handling = { outcome: 'queued', againSeconds: 0 };

/**
 * Looks at the dispenser once more, after a delivery has begun to wait for another than `tried`. One that registered in
 * the meantime may have looked for waiting deliveries before this one could be seen, and registers again only in an
 * hour.
 */
const unlessRegistered = async (wait: Wait, tried: Dispenser | undefined): Promise<Handling> => {
  const { url, registeredAt } = (await findDispenser(wait.order.store)) ?? {};
  if (!url || (url === tried?.url && registeredAt === tried.registeredAt)) return { outcome: 'waiting' };
  await clearWaits([wait]);
  return atOnce;
};

/** Lets the delivery wait until a dispenser registers. If one has just registered, the delivery is retried at once. */
const waitForAddress = async (delivery: Delivery, error: string): Promise<Handling> => {
  const wait = await letWait(delivery, error, true);
  if (wait) return unlessRegistered(wait, undefined);
  await releaseDelivery(delivery, error);
  return atOnce;
};

const tryAgain = async (delivery: Delivery, tried: Dispenser, error: string): Promise<Handling> => {
  if (delivery.inARow < maxAttemptsInARow) {
    await releaseDelivery(delivery, error);
    return { outcome: 'queued', againSeconds: retrySeconds(delivery.inARow) };
  }
  const wait = await letWait(delivery, error, false);
  return wait ? unlessRegistered(wait, tried) : overtaken;
};

const fail = async (delivery: Delivery, error: string): Promise<Handling> =>
  (await failDelivery(delivery, error)) ? { outcome: 'failed' } : overtaken;

const settle = async (delivery: Delivery, tried: Dispenser & { url: string }, outcome: Outcome): Promise<Handling> => {
  switch (outcome.kind) {
    case 'given':
      // First, since a worker that dies here calls again: the dispenser knows the delivery, and this is noted once
      // more.
      await noteDelivered(delivery.store, delivery.recipientUuid, delivery.productId);
      await completeDelivery(delivery);
      return { outcome: 'delivered' };
    case 'refused':
      return fail(delivery, outcome.error);
    case 'lost':
      await loseAddress(delivery.store, tried.url, outcome.error);
      return waitForAddress(delivery, outcome.error);
    case 'again':
      return tryAgain(delivery, tried, outcome.error);
  }
};

/** Makes one attempt at a delivery. A duplicate message makes no second attempt, not even in another worker. */
const deliver = async (order: Order): Promise<Handling> => {
  // A message may outlive its store. A worker must not write while the rows of a deleted store are removed.
  if (!(await findStore(order.store))) return { outcome: 'of no store' };
  const { claimed, delivery } = await claimDelivery(order, leaseMillis());
  if (!claimed) {
    if (delivery.state === 'delivered' || delivery.state === 'failed') return { outcome: 'repeated' };
    const seconds = Math.ceil((Date.parse(delivery.leaseUntil) - now()) / 1000);
    return { outcome: 'taken', againSeconds: Math.max(seconds, 0) };
  }
  const { saleId } = delivery;
  if (saleId !== undefined && (await isRefunded(order.store, saleId)))
    return (await failDelivery(delivery, refundedError)) ? { outcome: 'refunded' } : overtaken;
  if (now() >= Date.parse(delivery.expiresAt)) {
    return fail(delivery, `It could not be delivered within ${keepDays} days. ${delivery.lastError ?? ''}`.trim());
  }
  const dispenser = await findDispenser(order.store);
  if (!dispenser?.url) return waitForAddress(delivery, dispenser?.lostReason ?? 'The store has no dispenser yet.');
  const { url } = dispenser;
  const { expiresAt, message = '' } = delivery;
  const request = { ...delivery, message, at: now(), expiresAt: Date.parse(expiresAt) };
  const bodies = secretsOf(dispenser).map((secret) => dispenserBody(request, secret));
  return settle(delivery, { ...dispenser, url }, await callDispenser(url, bodies, callTimeoutMillis()));
};

const handOverSize = 100;

/**
 * Puts a store's waiting deliveries on the queue again, and then removes the waits. A worker that dies in between
 * leaves some deliveries on the queue twice, which is harmless.
 */
const handOver = async (store: string): Promise<Handling> => {
  const waits = await listWaits(store, handOverSize);
  const more: QueueMessage[] = waits.length === handOverSize ? [{ kind: 'hand-over', store }] : [];
  await sendMessages(
    store,
    waits.map(({ order }) => order),
  );
  await clearWaits(waits);
  await sendMessages(store, more);
  return { outcome: `handed over ${waits.length}` };
};

/** Handles a message about deliveries. */
export const handleMessage = (message: DeliveryMessage): Promise<Handling> =>
  message.kind === 'hand-over' ? handOver(message.store) : deliver(message);
