import { endpoint } from '../../lib/http/endpoint.ts';
import { endKey as row } from '../../lib/routes/store.ts';
import { endKey } from '../../lib/store/api-keys.ts';

export const handler = endpoint(row, ({ keyId }) => endKey(keyId));
