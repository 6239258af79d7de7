import { endpoint } from '../../lib/http/endpoint.ts';
import { addProduct as row } from '../../lib/routes/categories.ts';
import { addMember } from '../../lib/store/memberships.ts';

export const handler = endpoint(row, ({ store, params }) => addMember(store, params.id, params.productId));
