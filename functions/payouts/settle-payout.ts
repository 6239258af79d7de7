import { endpoint } from '../../lib/http/endpoint.ts';
import { settlePayout } from '../../lib/payout/settle.ts';
import { settlePayout as row } from '../../lib/routes/payouts.ts';

export const handler = endpoint(row, ({ store, params, body }) => settlePayout(store, params.id, body));
