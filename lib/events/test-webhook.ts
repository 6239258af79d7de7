import { now, timestamp } from '../clock.ts';
import { sendForRequest } from '../delivery/queue.ts';
import { idOutside } from '../table/table.ts';
import { pingType } from './sendings.ts';
import { getWebhook } from './webhooks.ts';

/**
 * Orders that a webhook gets the event `webhook.ping`, even a disabled one. A repeated request with its Idempotency-Key
 * orders the same event. Throws 404, and 503 if the queue does not confirm the message.
 */
export const testWebhook = async (store: string, id: string): Promise<{ eventId: string }> => {
  await getWebhook(store, id);
  const event = idOutside();
  await sendForRequest({ kind: 'event', store, webhook: id, event, type: pingType, notedAt: timestamp(now()) });
  return { eventId: event };
};
