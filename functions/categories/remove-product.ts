import { removeMember } from '../../lib/catalogue/memberships.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { removeProduct as row } from '../../lib/routes/categories.ts';

export const handler = endpoint(row, ({ store, params }) => removeMember(store, params.id, params.productId));
