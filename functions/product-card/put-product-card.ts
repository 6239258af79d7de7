import { endpoint } from '../../lib/http/endpoint.ts';
import { putProductCard as row } from '../../lib/routes/rules.ts';
import { putProductCard } from '../../lib/store/product-cards.ts';

export const handler = endpoint(row, ({ store, params, body }) => putProductCard(store, params.id, body));
