import { endpoint } from '../../lib/http/endpoint.ts';
import { reportPayout } from '../../lib/payout/settle.ts';
import { reportPayout as row } from '../../lib/routes/payouts.ts';

export const handler = endpoint(row, ({ store, params, body, keyOrigin }) =>
  reportPayout(store, params.id, body, keyOrigin),
);
