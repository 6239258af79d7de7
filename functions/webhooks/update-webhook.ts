import { updateWebhook } from '../../lib/events/webhooks.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { updateWebhook as row } from '../../lib/routes/webhooks.ts';

export const handler = endpoint(row, ({ store, scopes, params, body }) =>
  updateWebhook(store, params.id, body, scopes()),
);
