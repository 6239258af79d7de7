import { listCustomers } from '../../lib/avatars/customer-list.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { listCustomers as row } from '../../lib/routes/customers.ts';

export const handler = endpoint(row, ({ store, query, list }) => {
  const { source, order } = listCustomers(store, query);
  return page(list, source, ({ position }) => position, order);
});
