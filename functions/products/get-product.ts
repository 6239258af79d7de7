import { getProduct } from '../../lib/catalogue/products.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { getProduct as row } from '../../lib/routes/products.ts';

export const handler = endpoint(row, ({ store, params }) => getProduct(store, params.id));
