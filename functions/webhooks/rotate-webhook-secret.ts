import { rotateSecret } from '../../lib/events/webhooks.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { rotateWebhookSecret as row } from '../../lib/routes/webhooks.ts';

export const handler = endpoint(row, ({ store, params }) => rotateSecret(store, params.id));
