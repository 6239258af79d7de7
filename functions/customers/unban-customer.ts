import { endpoint } from '../../lib/http/endpoint.ts';
import { unbanCustomer as row } from '../../lib/routes/customers.ts';
import { unbanCustomer } from '../../lib/store/customers.ts';

export const handler = endpoint(row, ({ store, params }) => unbanCustomer(store, params.identifier));
