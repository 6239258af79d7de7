import { revokeCoupon } from '../../lib/catalogue/applied-coupons.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { revokeCoupon as row } from '../../lib/routes/coupons.ts';

export const handler = endpoint(row, ({ store, params, body }) => revokeCoupon(store, params.identifier, body));
