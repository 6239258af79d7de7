import { updateCustomer } from '../../lib/avatars/customers.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { updateCustomer as row } from '../../lib/routes/customers.ts';

export const handler = endpoint(row, ({ store, params, body, ifMatch }) =>
  updateCustomer(store, params.identifier, body, ifMatch),
);
