import { authorOf } from '../../lib/credit/state.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { createSale as row } from '../../lib/routes/sales.ts';
import { sell } from '../../lib/sale/sell.ts';

export const handler = endpoint(row, ({ store, id, keyId, body, isScript }) =>
  sell(store, body, authorOf({ id, keyId, body }), isScript),
);
