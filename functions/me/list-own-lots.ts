import { listLiveLots } from '../../lib/credit/lot-list.ts';
import { pageRead } from '../../lib/http/page-endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { listOwnLots as row } from '../../lib/routes/me.ts';
import { ownItem } from '../../lib/store/me.ts';

export const handler = pageRead(row, async (own, { query, list }) =>
  page(list, listLiveLots(own.store, await ownItem(own), query.type), ({ position }) => position, own.uuid),
);
