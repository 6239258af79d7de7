import { findResident } from '../../lib/avatars/residents.ts';
import { codeFaults, createCoupon } from '../../lib/catalogue/coupons.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { invalid } from '../../lib/problem.ts';
import { createCoupon as row } from '../../lib/routes/coupons.ts';

export const handler = endpoint(row, async ({ store, body: { ownerIdentifier, ...fields } }) => {
  const owner = await findResident(store, ownerIdentifier);
  // `createCoupon` finds out itself whether the code is taken. Without an owner it is not called, so the code is looked
  // up here.
  if (!owner)
    throw invalid(...(await codeFaults(store, fields.code)), 'ownerIdentifier names a resident who does not exist.');
  return createCoupon(store, owner, fields);
});
