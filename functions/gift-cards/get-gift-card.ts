import { getGiftCard } from '../../lib/catalogue/gift-cards.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { getGiftCard as row } from '../../lib/routes/gift-cards.ts';

export const handler = endpoint(row, ({ store, params }) => getGiftCard(store, params.id));
