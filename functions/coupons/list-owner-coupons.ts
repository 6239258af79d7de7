import { getResident } from '../../lib/avatars/customers.ts';
import { listOwnerCoupons } from '../../lib/catalogue/coupons.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { listOwnerCoupons as row } from '../../lib/routes/coupons.ts';

export const handler = endpoint(row, async ({ store, params, list }) => {
  const { uuid } = await getResident(store, params.identifier);
  return page(list, listOwnerCoupons(store, uuid), ({ rank }) => rank, uuid);
});
