import { createCategory } from '../../lib/catalogue/categories.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { createCategory as row } from '../../lib/routes/categories.ts';

export const handler = endpoint(row, ({ store, body }) => createCategory(store, body));
