import { addMember } from '../../lib/catalogue/memberships.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { addProduct as row } from '../../lib/routes/categories.ts';

export const handler = endpoint(row, ({ store, params }) => addMember(store, params.id, params.productId));
