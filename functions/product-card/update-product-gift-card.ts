import { endpoint } from '../../lib/http/endpoint.ts';
import { updateProductGiftCard as row } from '../../lib/routes/rules.ts';
import { updateProductCard } from '../../lib/store/product-cards.ts';

export const handler = endpoint(row, ({ store, params, body }) => updateProductCard(store, params.id, body));
