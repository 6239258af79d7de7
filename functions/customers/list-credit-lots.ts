import { demandUuid, getCustomerItem } from '../../lib/avatars/customers.ts';
import { listCreditLots } from '../../lib/credit/lot-list.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { listCreditLots as row } from '../../lib/routes/credit.ts';

export const handler = endpoint(row, async ({ store, params, query, list }) => {
  const item = await getCustomerItem(store, await demandUuid(store, params.identifier));
  // Open lots are listed in another order than the others.
  const part = `${item.sk} ${query.state === 'open' ? 'drain' : 'set'}`;
  return page(list, listCreditLots(store, item, query), ({ position }) => position, part);
});
