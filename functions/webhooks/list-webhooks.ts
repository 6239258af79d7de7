import { listWebhooks } from '../../lib/events/webhooks.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { listWebhooks as row } from '../../lib/routes/webhooks.ts';

export const handler = endpoint(row, ({ store, list }) => page(list, listWebhooks(store), ({ id }) => id));
