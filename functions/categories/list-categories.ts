import { listCategories } from '../../lib/catalogue/categories.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { listCategories as row } from '../../lib/routes/categories.ts';

export const handler = endpoint(row, ({ store, list }) => page(list, listCategories(store), ({ id }) => id));
