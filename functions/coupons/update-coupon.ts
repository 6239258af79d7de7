import { updateCoupon } from '../../lib/catalogue/coupons.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { updateCoupon as row } from '../../lib/routes/coupons.ts';

export const handler = endpoint(row, ({ store, params, body, ifMatch }) =>
  updateCoupon(store, params.id, body, ifMatch),
);
