import { endpoint } from '../../lib/http/endpoint.ts';
import { claimPayout } from '../../lib/payout/claim.ts';
import { claimPayout as row } from '../../lib/routes/payouts.ts';

export const handler = endpoint(row, ({ store, body, keyOrigin }) => claimPayout(store, body, keyOrigin));
