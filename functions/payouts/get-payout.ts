import { endpoint } from '../../lib/http/endpoint.ts';
import { getPayout } from '../../lib/payout/payouts.ts';
import { getPayout as row } from '../../lib/routes/payouts.ts';

export const handler = endpoint(row, ({ store, params }) => getPayout(store, params.id));
