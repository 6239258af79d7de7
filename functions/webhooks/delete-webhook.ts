import { deleteWebhook } from '../../lib/events/webhooks.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { deleteWebhook as row } from '../../lib/routes/webhooks.ts';

export const handler = endpoint(row, ({ store, params }) => deleteWebhook(store, params.id));
