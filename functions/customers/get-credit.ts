import { endpoint } from '../../lib/http/endpoint.ts';
import { getCredit as row } from '../../lib/routes/credit.ts';
import { getCustomer } from '../../lib/store/customers.ts';

export const handler = endpoint(row, ({ store, params }) => getCustomer(store, params.identifier));
