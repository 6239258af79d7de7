import { endpoint } from '../../lib/http/endpoint.ts';
import { openStore as row } from '../../lib/routes/store.ts';
import { openStore } from '../../lib/store/stores.ts';

export const handler = endpoint(row, ({ store, keyId, body }) => openStore(store, keyId, body.reason));
