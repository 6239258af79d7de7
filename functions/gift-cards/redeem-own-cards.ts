import { redeemOwnCards } from '../../lib/credit/redeem.ts';
import { authorOf } from '../../lib/credit/state.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { redeemOwnCards as row } from '../../lib/routes/gift-cards.ts';

export const handler = endpoint(row, (request) =>
  redeemOwnCards(request.store, request.params.identifier, authorOf(request)),
);
