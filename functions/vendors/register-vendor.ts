import { endpoint } from '../../lib/http/endpoint.ts';
import { boundReads } from '../../lib/http/store-share.ts';
import { registerVendor as row } from '../../lib/routes/vendors.ts';
import { registerVendor } from '../../lib/vendor/register.ts';

export const handler = endpoint(row, async ({ store, params, body }) => {
  // A search reads as much as a list.
  if (body.search !== undefined) boundReads(store);
  return registerVendor(store, params.uuid, body);
});
