import { renameCategory } from '../../lib/catalogue/categories.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { updateCategory as row } from '../../lib/routes/categories.ts';

export const handler = endpoint(row, ({ store, params, body, ifMatch }) =>
  renameCategory(store, params.id, body, ifMatch),
);
