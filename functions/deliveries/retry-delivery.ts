import { deliveryAnswer } from '../../lib/delivery/deliveries.ts';
import { retryDelivery } from '../../lib/delivery/order.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { retryDelivery as row } from '../../lib/routes/deliveries.ts';

export const handler = endpoint(row, async ({ store, params }) =>
  deliveryAnswer(await retryDelivery(store, params.id)),
);
