import { endpoint } from '../../lib/http/endpoint.ts';
import { banCustomer as row } from '../../lib/routes/customers.ts';
import { banCustomer } from '../../lib/store/customers.ts';

export const handler = endpoint(row, ({ store, params, body }) => banCustomer(store, params.identifier, body.reason));
