import { getCoupon } from '../../lib/catalogue/coupons.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { getCoupon as row } from '../../lib/routes/coupons.ts';

export const handler = endpoint(row, ({ store, params }) => getCoupon(store, params.id));
