import { listOwned } from '../../lib/avatars/owned.ts';
import { pageRead } from '../../lib/http/page-endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { listOwnProducts as row } from '../../lib/routes/me.ts';

export const handler = pageRead(row, ({ store, uuid }, { list }) =>
  page(list, listOwned(store, uuid), ({ productId }) => productId, uuid),
);
