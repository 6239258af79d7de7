import { endpoint } from '../../lib/http/endpoint.ts';
import { removeProduct as row } from '../../lib/routes/categories.ts';
import { removeMember } from '../../lib/store/categories.ts';
import { getProduct } from '../../lib/store/products.ts';

export const handler = endpoint(row, ({ store, params: { id, productId } }) =>
  // A product that is not in the category is fine if it exists, and 404 if not.
  removeMember(store, id, productId, () => getProduct(store, productId)),
);
