import { deliveriesList, deliveryAnswer } from '../../lib/delivery/deliveries.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { listDeliveries as row } from '../../lib/routes/deliveries.ts';

export const handler = endpoint(row, async ({ store, query, list }) => {
  const { source, positionOf, part } = await deliveriesList(store, query);
  const { data, ...envelope } = await page(list, source, positionOf, part);
  return { ...envelope, data: data.map(deliveryAnswer) };
});
