import { grantGiftCard } from '../../lib/catalogue/gift-cards.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { grantGiftCard as row } from '../../lib/routes/gift-cards.ts';

export const handler = endpoint(row, ({ store, params, body }) => grantGiftCard(store, params.identifier, body));
