import { now, timestamp } from '../clock.ts';
import { deliveryQueue } from '../delivery/queue.ts';
import { isLater } from '../shape.ts';
import { storeOf } from '../table/keys.ts';
import { is, update } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { getMany, inChunks, pagesOf, rowsOf, write } from '../table/table.ts';
import { type EventOrder, heldList, orderOf, type Sending } from './sendings.ts';
import { dueList, type WebhookItem } from './webhooks.ts';

type SendOrders = (orders: readonly EventOrder[]) => Promise<void>;

/** If no worker has had an event's message within this time, another message is sent for the event. */
const resendMillis = 10 * 60_000;

/** Passes the first `limit` events that are held back for a webhook to `send`, and answers their number. */
export const releaseHeld = async (webhook: WebhookItem, limit: number, send: SendOrders): Promise<number> => {
  const list = heldList(storeOf(webhook), webhook.id);
  const rows = await rowsOf<Key>({ partition: list, index: 'byDue' })({ descending: false, limit });
  const held = (await getMany<Sending>(rows)).filter((one) => !isLater(one));
  // If this worker dies before it sends the messages, the sweep sends them.
  const set = { nextAt: timestamp(now()), dues: dueList, due: timestamp(now() + resendMillis) };
  await Promise.all(held.map(({ pk, sk }) => write(update({ pk, sk }, { set, when: is('dues', list) }))));
  await send(held.map(orderOf));
  return held.length;
};

/** A failing webhook gets one event to try. The others wait for its answer. */
const firstHeld = ({ failingSince }: WebhookItem): number => (failingSince === undefined ? 10 : 1);

/** Releases events that were held back for a webhook whose pause is over, and notes when to look again. */
const visit = async (webhook: WebhookItem, send: SendOrders): Promise<number> => {
  const { pk, sk, due, pausedUntil = '', slowUntil = '' } = webhook;
  const at = timestamp(now());
  const isPaused = at < pausedUntil;
  const sent = isPaused ? 0 : await releaseHeld(webhook, firstHeld(webhook), send);
  const notPaused = sent > 0 ? timestamp(now() + 60_000) : slowUntil;
  const next = isPaused ? pausedUntil : notPaused;
  // Ten minutes after the webhook's last pause, no worker that could hold an event back for it is alive.
  const set = at < next ? { due: next } : { dues: undefined, due: undefined };
  await write(update({ pk, sk }, { set, when: is('due', due) }));
  return sent;
};

const resend = async (sendings: readonly Sending[], send: SendOrders): Promise<number> => {
  await send(sendings.map(orderOf));
  for (const { pk, sk, due } of sendings)
    await write(update({ pk, sk }, { set: { due: timestamp(now() + resendMillis) }, when: is('due', due) }));
  return sendings.length;
};

/** Sendings in pieces, each for one webhook and as large as a call of the queue allows. */
const byWebhook = (sendings: readonly Sending[]): Sending[][] =>
  Object.values(Object.groupBy(sendings, ({ webhook }) => webhook)).flatMap((some = []) =>
    inChunks(some, deliveryQueue.batchSize),
  );

const isWebhook = (one: Sending | WebhookItem): one is WebhookItem => 'url' in one;

/**
 * Hands the orders that are due to `send`, for as long as `hasTime` allows. Answers how many; throws what `send`
 * throws.
 */
export const sendDue = async (send: SendOrders, hasTime: () => boolean): Promise<number> => {
  let sent = 0;
  const due = pagesOf<Key>({ partition: dueList, index: 'byDue', last: timestamp(now()) }, 100);
  for await (const rows of due) {
    const at = timestamp(now());
    const items = (await getMany<Sending | WebhookItem>(rows, { consistent: true })).filter(
      (one) =>
        one.dues === dueList &&
        (one.due ?? '~') <= at &&
        (isWebhook(one) || (one.leaseUntil ?? '') <= at) &&
        // A later version handles what it noted as due in its own shape.
        !isLater(one),
    );
    for (const piece of byWebhook(items.filter((one) => !isWebhook(one)))) {
      if (!hasTime()) return sent;
      sent += await resend(piece, send);
    }
    for (const webhook of items.filter(isWebhook)) {
      if (!hasTime()) return sent;
      sent += await visit(webhook, send);
    }
  }
  return sent;
};
