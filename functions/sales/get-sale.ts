import { endpoint } from '../../lib/http/endpoint.ts';
import { getSale as row } from '../../lib/routes/sales.ts';
import { getSale, saleOf } from '../../lib/sale/sales.ts';

export const handler = endpoint(row, async ({ store, params, isScript }) =>
  saleOf(await getSale(store, params.id), isScript),
);
