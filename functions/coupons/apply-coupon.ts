import { endpoint } from '../../lib/http/endpoint.ts';
import { applyCoupon as row } from '../../lib/routes/coupons.ts';
import { applyCoupon } from '../../lib/store/applied-coupons.ts';

export const handler = endpoint(row, ({ store, params, body }) => applyCoupon(store, params.identifier, body));
