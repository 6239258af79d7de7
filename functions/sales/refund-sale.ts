import { authorOf } from '../../lib/credit/state.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { refundSale as row } from '../../lib/routes/sales.ts';
import { refundSale } from '../../lib/sale/refund.ts';

export const handler = endpoint(row, ({ store, id, keyId, params, body, isScript }) =>
  refundSale(store, params.id, authorOf({ id, keyId, body }), { isScript, payOut: body.payOut }),
);
