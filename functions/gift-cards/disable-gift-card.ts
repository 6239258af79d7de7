import { endpoint } from '../../lib/http/endpoint.ts';
import { disableGiftCard as row } from '../../lib/routes/gift-cards.ts';
import { disableGiftCard } from '../../lib/store/gift-cards.ts';

export const handler = endpoint(row, ({ store, params }) => disableGiftCard(store, params.id));
