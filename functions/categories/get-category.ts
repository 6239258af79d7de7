import { getCategory } from '../../lib/catalogue/categories.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { getCategory as row } from '../../lib/routes/categories.ts';

export const handler = endpoint(row, ({ store, params }) => getCategory(store, params.id));
