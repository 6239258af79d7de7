import { limitCoupon } from '../../lib/catalogue/coupons.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { limitCoupon as row } from '../../lib/routes/coupons.ts';

export const handler = endpoint(row, ({ store, params, body, ifMatch }) =>
  limitCoupon(store, params.id, body, ifMatch),
);
