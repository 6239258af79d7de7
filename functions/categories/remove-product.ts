import { endpoint } from '../../lib/http/endpoint.ts';
import { removeProduct as row } from '../../lib/routes/categories.ts';
import { removeMember } from '../../lib/store/memberships.ts';

export const handler = endpoint(row, ({ store, params }) => removeMember(store, params.id, params.productId));
