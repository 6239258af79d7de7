import { endpoint } from '../../lib/http/endpoint.ts';
import { getProductGiftCard as row } from '../../lib/routes/rules.ts';
import { getProductCard } from '../../lib/store/product-cards.ts';

export const handler = endpoint(row, ({ store, params }) => getProductCard(store, params.id));
