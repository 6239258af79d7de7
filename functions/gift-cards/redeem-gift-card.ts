import { bodyFaults } from '../../lib/credit/body-faults.ts';
import { redeemGiftCard } from '../../lib/credit/redeem.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { redeemGiftCard as row } from '../../lib/routes/gift-cards.ts';

export const handler = endpoint(
  row,
  ({ id, store, params, body }) => redeemGiftCard(store, params.id, body, id),
  bodyFaults('increment'),
);
