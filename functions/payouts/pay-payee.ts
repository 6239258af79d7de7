import { endpoint } from '../../lib/http/endpoint.ts';
import { payByHand } from '../../lib/payout/claim.ts';
import { payPayee as row } from '../../lib/routes/payouts.ts';

export const handler = endpoint(row, ({ store, params, body }) => payByHand(store, params.identifier, body));
