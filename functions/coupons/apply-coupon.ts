import { applyCoupon } from '../../lib/catalogue/applied-coupons.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { applyCoupon as row } from '../../lib/routes/coupons.ts';

export const handler = endpoint(row, ({ store, params, body }) => applyCoupon(store, params.identifier, body));
