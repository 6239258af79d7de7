import { getSpend } from '../../lib/avatars/spend.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { getSpend as row } from '../../lib/routes/customers.ts';

export const handler = endpoint(row, ({ store, params }) => getSpend(store, params.identifier));
