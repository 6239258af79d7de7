import { endpoint } from '../../lib/http/endpoint.ts';
import { boundReads } from '../../lib/http/store-share.ts';
import { claimPayout } from '../../lib/payout/claim.ts';
import { claimPayout as row } from '../../lib/routes/payouts.ts';

export const handler = endpoint(row, async ({ store, body, keyOrigin }) => {
  // If nobody would get enough, this reads all accounts that are owed something.
  boundReads(store);
  return claimPayout(store, body, keyOrigin);
});
