import { endpoint } from '../../lib/http/endpoint.ts';
import { getCategory as row } from '../../lib/routes/categories.ts';
import { getCategory } from '../../lib/store/categories.ts';

export const handler = endpoint(row, ({ store, params }) => getCategory(store, params.id));
