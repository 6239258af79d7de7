import { createProduct, resolveReferences } from '../../lib/catalogue/products.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { createProduct as row } from '../../lib/routes/products.ts';

export const handler = endpoint(row, async ({ store, body }) =>
  createProduct(store, await resolveReferences(store, body)),
);
