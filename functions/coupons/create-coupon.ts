import { endpoint } from '../../lib/http/endpoint.ts';
import { invalid } from '../../lib/problem.ts';
import { createCoupon as row } from '../../lib/routes/coupons.ts';
import { createCoupon } from '../../lib/store/coupons.ts';
import { findResident } from '../../lib/store/residents.ts';

export const handler = endpoint(row, async ({ store, body: { ownerIdentifier, ...fields } }) => {
  const owner = await findResident(ownerIdentifier);
  if (!owner) throw invalid('ownerIdentifier names a resident who does not exist.');
  return createCoupon(store, owner, fields);
});
