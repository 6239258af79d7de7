import { orderDelivery } from '../../lib/delivery/order.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { deliverProduct as row } from '../../lib/routes/products.ts';

export const handler = endpoint(row, ({ store, params, body }) =>
  orderDelivery(store, params.id, body.recipientIdentifier, body.message),
);
