import { endpoint } from '../../lib/http/endpoint.ts';
import { updateGiftCard as row } from '../../lib/routes/gift-cards.ts';
import { updateGiftCard } from '../../lib/store/gift-cards.ts';

export const handler = endpoint(row, ({ store, params, body, ifMatch }) =>
  updateGiftCard(store, params.id, body, ifMatch),
);
