import { redeliver } from '../../lib/delivery/order.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { redeliverProduct as row } from '../../lib/routes/products.ts';

export const handler = endpoint(row, ({ store, params, body }) =>
  redeliver(store, params.identifier, params.productId, body.message),
);
