import { updateProductCard } from '../../lib/catalogue/product-cards.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { updateProductGiftCard as row } from '../../lib/routes/rules.ts';

export const handler = endpoint(row, ({ store, params, body }) => updateProductCard(store, params.id, body));
