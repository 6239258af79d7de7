import { findCustomerItem } from '../../lib/avatars/customers.ts';
import { listLiveLots } from '../../lib/credit/lot-list.ts';
import { pageRead } from '../../lib/http/page-endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { listOwnLots as row } from '../../lib/routes/me.ts';
import { customerKey } from '../../lib/table/keys.ts';

export const handler = pageRead(row, async ({ store, uuid, username }, { query, list }) => {
  const item = (await findCustomerItem(store, uuid)) ?? { ...customerKey(store, uuid), username };
  return page(list, listLiveLots(store, item, query.type), ({ position }) => position, uuid);
});
