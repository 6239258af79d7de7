import { getWebhook } from '../../lib/events/webhooks.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { getWebhook as row } from '../../lib/routes/webhooks.ts';

export const handler = endpoint(row, ({ store, params }) => getWebhook(store, params.id));
