import { endpoint } from '../../lib/http/endpoint.ts';
import { closeStore as row } from '../../lib/routes/store.ts';
import { closeStore } from '../../lib/store/stores.ts';

export const handler = endpoint(row, ({ store, keyId, body }) => closeStore(store, keyId, body.reason));
