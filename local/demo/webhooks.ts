import type { WebhookItem } from '../../lib/events/webhooks.ts';
import type { Store } from '../../lib/store/stores.ts';
import { webhookKey } from '../../lib/table/keys.ts';
import { put } from '../../lib/table/language.ts';
import { write } from '../../lib/table/table.ts';
import { demoUuid, inDays } from './residents.ts';

/** Makes a disabled webhook, to which nothing is sent. */
export const seedWebhook = async ({ id: store }: Store): Promise<void> => {
  const id = demoUuid(9, 1);
  const secret = `whsec_${Buffer.from('No message was signed with this.').toString('base64')}`;
  const webhook: WebhookItem = {
    ...webhookKey(store, id),
    id,
    url: 'https://hooks.example.com/store',
    events: ['sale.completed', 'delivery.failed'],
    description: 'An earlier shop page',
    format: 'standard',
    state: 'disabled',
    secret,
    since: inDays(-3),
  };
  await write(put(webhook));
};
