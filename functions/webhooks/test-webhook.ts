import { testWebhook } from '../../lib/events/test-webhook.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { testWebhook as row } from '../../lib/routes/webhooks.ts';

export const handler = endpoint(row, ({ store, params }) => testWebhook(store, params.id));
