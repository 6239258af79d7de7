import { pageRead } from '../../lib/http/page-endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { listOwnHistory as row } from '../../lib/routes/me.ts';
import { listOwnHistory } from '../../lib/sale/own-history.ts';

export const handler = pageRead(row, ({ store, uuid }, { query, list }) =>
  page(list, listOwnHistory(store, uuid, query.type), ({ position }) => position, uuid),
);
