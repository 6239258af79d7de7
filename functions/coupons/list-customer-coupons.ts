import { getResident } from '../../lib/avatars/customers.ts';
import { listAppliedCoupons } from '../../lib/catalogue/applied-coupons.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { listCustomerCoupons as row } from '../../lib/routes/coupons.ts';

export const handler = endpoint(row, async ({ store, params, list }) => {
  const customer = await getResident(store, params.identifier);
  return page(list, listAppliedCoupons(store, customer), ({ place }) => place, customer.uuid);
});
