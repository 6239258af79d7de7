import { listProducts } from '../../lib/catalogue/products.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { listProducts as row } from '../../lib/routes/products.ts';

export const handler = endpoint(row, ({ store, query, list }) =>
  page(list, listProducts(store, query), ({ id }) => id),
);
