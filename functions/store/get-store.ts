import { endpoint } from '../../lib/http/endpoint.ts';
import { getStore as row } from '../../lib/routes/store.ts';
import { getStore } from '../../lib/store/stores.ts';

export const handler = endpoint(row, ({ store, keyId }) => getStore(store, keyId));
