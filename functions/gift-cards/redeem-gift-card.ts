import { bodyFaults } from '../../lib/credit/body-faults.ts';
import { redeemGiftCard } from '../../lib/credit/redeem.ts';
import { authorOf } from '../../lib/credit/state.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { redeemGiftCard as row } from '../../lib/routes/gift-cards.ts';

export const handler = endpoint(
  row,
  (request) => redeemGiftCard(request.store, request.params.id, request.body, authorOf(request)),
  { faultsNow: bodyFaults('increment') },
);
