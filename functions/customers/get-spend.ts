import { endpoint } from '../../lib/http/endpoint.ts';
import { getSpend as row } from '../../lib/routes/customers.ts';
import { getSpend } from '../../lib/store/spend.ts';

export const handler = endpoint(row, ({ store, params }) => getSpend(store, params.identifier));
