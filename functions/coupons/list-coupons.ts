import { listCoupons } from '../../lib/catalogue/coupons.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { listCoupons as row } from '../../lib/routes/coupons.ts';

export const handler = endpoint(row, ({ store, query, list }) =>
  page(list, listCoupons(store, query.active), ({ id }) => id),
);
