import { deleteCategory } from '../../lib/catalogue/categories.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { deleteCategory as row } from '../../lib/routes/categories.ts';

export const handler = endpoint(row, ({ store, params, ifMatch }) => deleteCategory(store, params.id, ifMatch));
