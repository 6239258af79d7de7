import { endpoint } from '../../lib/http/endpoint.ts';
import { renameKey as row } from '../../lib/routes/keys.ts';
import { renameFor } from '../../lib/store/key-requests.ts';

export const handler = endpoint(row, (asking) => renameFor(asking, asking.params.keyId, asking.body.name));
