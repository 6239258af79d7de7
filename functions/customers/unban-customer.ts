import { unbanCustomer } from '../../lib/avatars/customers.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { unbanCustomer as row } from '../../lib/routes/customers.ts';

export const handler = endpoint(row, ({ store, params }) => unbanCustomer(store, params.identifier));
