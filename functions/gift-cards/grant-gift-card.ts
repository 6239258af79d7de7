import { endpoint } from '../../lib/http/endpoint.ts';
import { grantGiftCard as row } from '../../lib/routes/gift-cards.ts';
import { grantGiftCard } from '../../lib/store/gift-cards.ts';

export const handler = endpoint(row, ({ store, params, body }) => grantGiftCard(store, params.identifier, body));
