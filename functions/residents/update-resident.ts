import { askFor } from '../../lib/avatars/resident-lookup.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { updateResident as row } from '../../lib/routes/residents.ts';
import { tellResident } from '../../lib/store/tell-resident.ts';

export const handler = endpoint(row, ({ store, params: { uuid }, body: { username } }) =>
  tellResident(store, { uuid, username }, 'request', () => askFor(store, { uuid })),
);
