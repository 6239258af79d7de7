import { getCustomer } from '../../lib/avatars/customers.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { getCredit as row } from '../../lib/routes/credit.ts';

export const handler = endpoint(row, ({ store, params }) => getCustomer(store, params.identifier));
