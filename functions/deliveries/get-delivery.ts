import { deliveryAnswer, getDelivery } from '../../lib/delivery/deliveries.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { getDelivery as row } from '../../lib/routes/deliveries.ts';

export const handler = endpoint(row, async ({ store, params }) => deliveryAnswer(await getDelivery(store, params.id)));
