import { getResident } from '../../lib/avatars/customers.ts';
import { listOwned } from '../../lib/avatars/owned.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { listOwnedProducts as row } from '../../lib/routes/products.ts';

export const handler = endpoint(row, async ({ store, params, list }) => {
  const { uuid } = await getResident(store, params.identifier);
  return page(list, listOwned(store, uuid), ({ productId }) => productId, uuid);
});
