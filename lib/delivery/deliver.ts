import { noteDelivered } from '../avatars/owned.ts';
import { now, source, timestamp } from '../clock.ts';
import { findStore } from '../store/stores.ts';
import { type CallOutcome, type Connection, callDispenser } from './call.ts';
import { afterAnswer, beforeNextRound, chooseBox, mayReconnect, type Standing } from './choose-box.ts';
import {
  type AttemptEnd,
  claimDelivery,
  clearWaits,
  completeDelivery,
  type Delivery,
  failDelivery,
  letWait,
  listWaits,
  refundedError,
  releaseDelivery,
} from './deliveries.ts';
import { type Dispenser, listBoxes, loseAddress, noteUnreachable, type Registered, secretsOf } from './dispensers.ts';
import { type DeliveryMessage, dispenserBody, type Order, type QueueMessage } from './message.ts';
import { sendMessages } from './queue.ts';
import { findDeliveredSale, noteWith } from './refunded.ts';
import { callTimeoutMillis, firstRetrySeconds, keepDays, leaseMillis, maxAttemptsInARow } from './settings.ts';

/** A handled message is deleted, or comes back after `againSeconds`. `outcome` is for the log. */
export type Handling = { outcome: string; againSeconds?: number };

/**
 * The pause after an attempt. It doubles up to 15 minutes, with jitter, so that deliveries that failed together do not
 * return together.
 */
const retrySeconds = (attempt: number): number =>
  Math.ceil(Math.min(firstRetrySeconds() * 2 ** (attempt - 1), 900) * (0.75 + source.random() / 2));

/** A later attempt has begun. The message comes back once more, to see how that attempt ends. */
const overtaken: Handling = { outcome: 'overtaken', againSeconds: 1 };

/** The message comes back at once, and the delivery is tried again. */
const atOnce: Handling = { outcome: 'queued', againSeconds: 0 };

/** An attempt at a delivery. Its record names the box that is asked. */
interface Attempt {
  delivery: Delivery;
  /** The standing before the attempt. */
  before: Standing;
  /** The box that was asked; undefined if there was none to ask. */
  asked?: Registered;
}

/** The end of an attempt with this standing. An attempt in which no box was asked does not count as a request. */
const endOf = ({ delivery, asked }: Attempt, standing: Standing): AttemptEnd => ({
  ...standing,
  ...(!asked && { unasked: (delivery.unasked ?? 0) + 1 }),
});

/**
 * Lets a delivery wait until a dispenser registers, and then looks at the boxes once more. A box that registered in the
 * meantime may have looked for waiting deliveries before this one was visible, and registers again only in an hour.
 * While a box is registered but cannot be reached, the message also comes back, up to eight times.
 */
const wait = async (attempt: Attempt, standing: Standing, error: string, boxes: Dispenser[]): Promise<Handling> => {
  const { delivery, asked } = attempt;
  const comesBack = asked && mayReconnect(standing, boxes) && delivery.inARow < maxAttemptsInARow;
  const { inARow } = delivery;
  const row = await letWait(delivery, error, {
    ...endOf(attempt, standing),
    isRetried: undefined,
    ...(comesBack && { inARow, heard: beforeNextRound(standing) }),
  });
  if (!row) return overtaken;
  if (chooseBox(standing, await listBoxes(delivery.store)).kind !== 'wait') {
    await clearWaits([row]);
    return atOnce;
  }
  return { outcome: 'waiting', ...(comesBack && { againSeconds: retrySeconds(inARow) }) };
};

const fail = async (delivery: Delivery, error: string, end: AttemptEnd): Promise<Handling> =>
  (await failDelivery(delivery, error, end)) ? { outcome: 'failed' } : overtaken;

/** Continues after an answer that did not end the delivery: asks another box, or lets the delivery wait. */
const goOn = async (attempt: Attempt, standing: Standing, error: string, inARow = 0): Promise<Handling> => {
  const { delivery } = attempt;
  const boxes = await listBoxes(delivery.store);
  switch (chooseBox(standing, boxes).kind) {
    case 'ask':
      await releaseDelivery(delivery, error, { ...endOf(attempt, standing), inARow });
      return atOnce;
    case 'fail':
      return fail(delivery, error, endOf(attempt, standing));
    case 'wait':
      return wait(attempt, standing, error, boxes);
  }
};

/** Tries the same box again later. After eight tries in a row the delivery waits until the box registers again. */
const tryAgain = async (attempt: Attempt, standing: Standing, error: string): Promise<Handling> => {
  const { delivery, asked } = attempt;
  if (delivery.inARow < maxAttemptsInARow || !asked) {
    await releaseDelivery(delivery, error, standing);
    return { outcome: 'queued', againSeconds: retrySeconds(delivery.inARow) };
  }
  return goOn(attempt, afterAnswer(standing, asked, 'spent'), error);
};

/** Continues after a call without a connection: asks another box if there is one. */
const afterNoConnection = async (
  attempt: Attempt & { asked: Registered },
  standing: Standing,
  error: string,
): Promise<Handling> => {
  const { delivery, asked } = attempt;
  await noteUnreachable(delivery.store, asked, error);
  const boxes = await listBoxes(delivery.store);
  if (boxes.every(({ name }) => name === asked.name)) return tryAgain(attempt, standing, error);
  // The pause grows with each round of the boxes, not with each box.
  return goOn(attempt, afterAnswer(standing, asked, 'unconnected'), error, delivery.inARow - 1);
};

const concludeAttempt = async (
  attempt: Attempt & { asked: Registered },
  outcome: CallOutcome,
  { isMade }: Connection,
): Promise<Handling> => {
  const { delivery, before, asked } = attempt;
  const { store } = delivery;
  const standing: Standing = { box: before.box, heard: before.heard, isRetried: before.isRetried };
  if (outcome.kind === 'given') {
    // The note comes first: if the worker dies after it, the next attempt calls again, the dispenser recognises the
    // delivery, and the worker notes it once more.
    await noteDelivered(store, delivery.recipientUuid, delivery.productId);
    await completeDelivery(delivery);
    return { outcome: 'delivered' };
  }
  const { error } = outcome;
  switch (outcome.kind) {
    case 'refused':
      if (before.box === asked.name) return fail(delivery, error, { ...standing, box: undefined });
      return goOn(attempt, afterAnswer(standing, asked, 'not here'), error);
    case 'lost':
      await loseAddress(store, asked.url, error, { name: asked.name, isForbidden: !isMade });
      return goOn(attempt, standing, error);
    case 'unsigned':
      return tryAgain(attempt, standing, error);
    case 'again':
      if (!isMade) return afterNoConnection(attempt, standing, error);
      // The item may have been given, so no other box is asked.
      return tryAgain(attempt, { box: asked.name, heard: before.heard, isRetried: undefined }, error);
  }
};

/** The reason why no box can be asked. */
const nobodyToAsk = ({ box, lastError }: Delivery, boxes: readonly Dispenser[]): string => {
  const lost = boxes.find(({ name, url }) => url === undefined && name === (box ?? name));
  return lost?.lostReason ?? lastError ?? 'The store has no dispenser yet.';
};

/** Ends an attempt at a delivery that must no longer be made; undefined for any other delivery. */
const endIfOver = async ({ delivery, before }: Attempt, isRefunded: boolean): Promise<Handling | undefined> => {
  const { expiresAt, lastError = '' } = delivery;
  if (isRefunded) return (await failDelivery(delivery, refundedError)) ? { outcome: 'refunded' } : overtaken;
  if (now() < Date.parse(expiresAt)) return undefined;
  // This attempt asked no box. A box that may have given the item in an earlier one is still the only box to ask.
  const error = `It could not be delivered within ${keepDays} days. ${lastError}`.trim();
  return fail(delivery, error, endOf({ delivery, before }, before));
};

/** Makes one attempt at a delivery. A duplicate message makes no second attempt, even in another worker. */
const deliver = async (order: Order): Promise<Handling> => {
  const [known, boxes] = await Promise.all([findStore(order.store), listBoxes(order.store)]);
  // A message may outlive its store. A worker must not write while the rows of a deleted store are being removed.
  if (!known) return { outcome: 'of no store' };
  let asked: Registered | undefined;
  const { claimed, delivery, before } = await claimDelivery(order, leaseMillis(), (standing) => {
    const choice = chooseBox(standing, boxes);
    asked = choice.kind === 'ask' ? choice.box : undefined;
    return asked?.name;
  });
  if (!claimed) {
    if (delivery.state === 'delivered' || delivery.state === 'failed') return { outcome: 'repeated' };
    const seconds = Math.ceil((Date.parse(delivery.leaseUntil) - now()) / 1000);
    return { outcome: 'taken', againSeconds: Math.max(seconds, 0) };
  }
  const sale = delivery.saleId === undefined ? undefined : await findDeliveredSale(delivery.store, delivery.saleId);
  const over = await endIfOver({ delivery, before }, sale?.state === 'refunded');
  if (over) return over;
  if (!asked) return goOn({ delivery, before }, before, nobodyToAsk(delivery, boxes));
  if (timestamp(now()) >= delivery.leaseUntil) {
    // The worker was halted meanwhile, so another one may have made this delivery.
    await releaseDelivery(
      delivery,
      delivery.lastError ?? 'It was not asked in time.',
      endOf({ delivery, before }, before),
    );
    return atOnce;
  }
  const { expiresAt, message = '' } = delivery;
  const request = { ...delivery, message: noteWith(message, sale), at: now(), expiresAt: Date.parse(expiresAt) };
  const bodies = secretsOf(asked).map((secret) => dispenserBody(request, secret));
  const connection = { isMade: false };
  const outcome = await callDispenser(asked.url, bodies, callTimeoutMillis(), connection);
  return concludeAttempt({ delivery, before, asked }, outcome, connection);
};

const handOverSize = 100;

/**
 * Puts a store's waiting deliveries on the queue again, and then removes the waits. If a worker dies in between, some
 * deliveries are on the queue twice, which does no harm.
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
