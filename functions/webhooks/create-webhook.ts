import { createWebhook } from '../../lib/events/webhooks.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { createWebhook as row } from '../../lib/routes/webhooks.ts';

export const handler = endpoint(row, ({ store, scopes, body }) => createWebhook(store, body, scopes()));
