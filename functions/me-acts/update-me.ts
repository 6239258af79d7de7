import { updateCustomer } from '../../lib/avatars/customers.ts';
import { pageAct } from '../../lib/http/page-endpoint.ts';
import { updateMe as row } from '../../lib/routes/me.ts';
import { readMe } from '../../lib/store/me.ts';

export const handler = pageAct(row, async (page, { body }) => {
  await updateCustomer(page.store, { uuid: page.uuid }, { newsSubscriber: body.newsSubscriber });
  return readMe(page);
});
