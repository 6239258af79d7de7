import { endpoint } from '../../lib/http/endpoint.ts';
import { updateCoupon as row } from '../../lib/routes/coupons.ts';
import { updateCoupon } from '../../lib/store/coupons.ts';

export const handler = endpoint(row, ({ store, params, body, ifMatch }) =>
  updateCoupon(store, params.id, body, ifMatch),
);
