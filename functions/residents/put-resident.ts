import { endpoint } from '../../lib/http/endpoint.ts';
import { putResident as row } from '../../lib/routes/residents.ts';
import { tellResident } from '../../lib/store/tell-resident.ts';

export const handler = endpoint(row, ({ store, params, body }) =>
  tellResident(store, { uuid: params.uuid, username: body.username }, 'request'),
);
