import { endpoint } from '../../lib/http/endpoint.ts';
import { getKey as row } from '../../lib/routes/keys.ts';
import { getShownKey } from '../../lib/store/key-requests.ts';

export const handler = endpoint(row, ({ store, params }) => getShownKey(store, params.keyId));
