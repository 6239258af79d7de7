import { demandUuid, getCustomerItem } from '../../lib/avatars/customers.ts';
import { listCreditHistory } from '../../lib/credit/history-list.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { listCreditHistory as row } from '../../lib/routes/credit.ts';

export const handler = endpoint(row, async ({ store, params, query, list }) => {
  const uuid = await demandUuid(store, params.identifier);
  const found = await page(list, listCreditHistory(store, uuid, query.type), ({ position }) => position, uuid);
  // A customer who has rows exists. Without rows, another read tells whether the customer exists.
  if (found.data.length === 0) await getCustomerItem(store, uuid);
  return found;
});
