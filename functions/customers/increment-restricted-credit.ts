import { bodyFaults } from '../../lib/credit/body-faults.ts';
import { changeCredit } from '../../lib/credit/change.ts';
import { authorOf } from '../../lib/credit/state.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { incrementRestrictedCredit as row } from '../../lib/routes/credit.ts';

export const handler = endpoint(
  row,
  (request) => {
    const { store, params, body } = request;
    return changeCredit(store, params.identifier, 'restricted', { ...body, kind: 'increment' }, authorOf(request));
  },
  { faultsNow: bodyFaults('increment') },
);
