import { endpoint } from '../../lib/http/endpoint.ts';
import { getProduct as row } from '../../lib/routes/products.ts';
import { getProduct } from '../../lib/store/products.ts';

export const handler = endpoint(row, ({ store, params }) => getProduct(store, params.id));
