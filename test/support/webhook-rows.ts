import { newId, now, timestamp } from '../../lib/clock.ts';
import type { Sending } from '../../lib/events/sendings.ts';
import type { WebhookItem } from '../../lib/events/webhooks.ts';
import { partition } from '../../lib/table/keys.ts';
import type { Key } from '../../lib/table/schema.ts';

/** A webhook of a store, and two events that it has got. */
export const webhookRows = (store: string, id: string): Key[] => {
  const webhook: WebhookItem = {
    ...{ pk: partition(store, 'WEBHOOK'), sk: id, id, url: 'https://hooks.example.com/', events: ['credit.changed'] },
    ...{ description: '', format: 'standard', state: 'active', since: timestamp(now() - 60_000) },
    secret: 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=',
  };
  const sendings = [2, 1].map((age): Sending => {
    const [event, notedAt] = [newId(), timestamp(now() - age * 1000)];
    return {
      ...{ pk: partition(store, 'WEBHOOK', id), sk: `${notedAt}#${event}`, webhook: id, event, notedAt },
      ...{ type: 'credit.changed', state: 'delivered', attempts: 1, status: 200, ttl: 1_900_000_000 },
    };
  });
  return [webhook, ...sendings];
};
