import { endpoint } from '../../lib/http/endpoint.ts';
import { getGiftCard as row } from '../../lib/routes/gift-cards.ts';
import { getGiftCard } from '../../lib/store/gift-cards.ts';

export const handler = endpoint(row, ({ store, params }) => getGiftCard(store, params.id));
