import { resolveReferences, updateProduct } from '../../lib/catalogue/products.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { updateProduct as row } from '../../lib/routes/products.ts';

export const handler = endpoint(row, async ({ store, params, body, ifMatch }) =>
  updateProduct(store, params.id, await resolveReferences(store, body, params.id), ifMatch),
);
