import { getProductCard } from '../../lib/catalogue/product-cards.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { getProductGiftCard as row } from '../../lib/routes/rules.ts';

export const handler = endpoint(row, ({ store, params }) => getProductCard(store, params.id));
