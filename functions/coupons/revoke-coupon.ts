import { endpoint } from '../../lib/http/endpoint.ts';
import { revokeCoupon as row } from '../../lib/routes/coupons.ts';
import { revokeCoupon } from '../../lib/store/applied-coupons.ts';

export const handler = endpoint(row, ({ store, params, body }) => revokeCoupon(store, params.identifier, body));
