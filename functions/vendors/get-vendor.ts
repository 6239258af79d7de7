import { endpoint } from '../../lib/http/endpoint.ts';
import { getVendor as row } from '../../lib/routes/vendors.ts';
import { getVendor } from '../../lib/vendor/vendors.ts';

export const handler = endpoint(row, ({ store, params }) => getVendor(store, params.uuid));
