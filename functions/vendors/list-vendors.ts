import { endpoint } from '../../lib/http/endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { listVendors as row } from '../../lib/routes/vendors.ts';
import { byUuid, listVendors, vendorAnswers } from '../../lib/vendor/vendors.ts';

export const handler = endpoint(row, async ({ store, query, list }) => {
  const { data, pagination } = await page(list, listVendors(store, query), byUuid);
  return { data: await vendorAnswers(store, data), pagination };
});
