import { endpoint } from '../../lib/http/endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { listKeys as row } from '../../lib/routes/keys.ts';
import { listShownKeys } from '../../lib/store/key-requests.ts';

export const handler = endpoint(row, ({ store, list, query: { state } }) =>
  page(list, listShownKeys(store, state), ({ id }) => id, state),
);
