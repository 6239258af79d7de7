import { getCustomer } from '../../lib/avatars/customers.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { getCustomer as row } from '../../lib/routes/customers.ts';

export const handler = endpoint(row, ({ store, params }) => getCustomer(store, params.identifier));
