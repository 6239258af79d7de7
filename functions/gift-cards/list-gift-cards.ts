import { getResident } from '../../lib/avatars/customers.ts';
import { listGiftCards } from '../../lib/catalogue/gift-cards.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { listGiftCards as row } from '../../lib/routes/gift-cards.ts';

export const handler = endpoint(row, async ({ store, params, query, list }) => {
  const { uuid } = await getResident(store, params.identifier);
  return page(list, listGiftCards(store, uuid, query), ({ id }) => id, uuid);
});
