import { eventPosition, listSendings, webhookDelivery } from '../../lib/events/sendings.ts';
import { getWebhook } from '../../lib/events/webhooks.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { listWebhookDeliveries as row } from '../../lib/routes/webhooks.ts';

export const handler = endpoint(row, async ({ store, params, query, list }) => {
  await getWebhook(store, params.id);
  const source = listSendings(store, params.id, query.state);
  const { data, ...envelope } = await page(list, source, eventPosition, `${params.id} ${query.state ?? ''}`);
  return { ...envelope, data: data.map(webhookDelivery) };
});
