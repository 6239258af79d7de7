import { disableGiftCard } from '../../lib/catalogue/gift-cards.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { disableGiftCard as row } from '../../lib/routes/gift-cards.ts';

export const handler = endpoint(row, ({ store, params }) => disableGiftCard(store, params.id));
