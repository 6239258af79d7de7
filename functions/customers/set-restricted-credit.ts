import { bodyFaults } from '../../lib/credit/body-faults.ts';
import { changeCredit } from '../../lib/credit/change.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { setRestrictedCredit as row } from '../../lib/routes/credit.ts';

export const handler = endpoint(
  row,
  ({ id, store, params, body }) => changeCredit(store, params.identifier, 'restricted', { kind: 'set', ...body }, id),
  bodyFaults('set'),
);
