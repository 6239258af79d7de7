import { updateGiftCard } from '../../lib/catalogue/gift-cards.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { updateGiftCard as row } from '../../lib/routes/gift-cards.ts';

export const handler = endpoint(row, ({ store, params, body, ifMatch }) =>
  updateGiftCard(store, params.id, body, ifMatch),
);
