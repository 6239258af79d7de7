import { banCustomer } from '../../lib/avatars/customers.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { banCustomer as row } from '../../lib/routes/customers.ts';

export const handler = endpoint(row, ({ store, params, body }) => banCustomer(store, params.identifier, body.reason));
