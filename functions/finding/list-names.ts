import { findNames } from '../../lib/avatars/customer-names.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { listNames as row } from '../../lib/routes/names.ts';

export const handler = endpoint(row, async ({ store, query, list }) => {
  const { data, pagination } = await page(list, findNames(store, query.prefix), ({ sk }) => sk);
  return {
    data: data.map(({ sk: name, uuid: residentUuid, username }) => ({ name, residentUuid, username })),
    pagination,
  };
});
