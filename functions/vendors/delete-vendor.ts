import { endpoint } from '../../lib/http/endpoint.ts';
import { deleteVendor as row } from '../../lib/routes/vendors.ts';
import { deleteVendor } from '../../lib/vendor/vendors.ts';

export const handler = endpoint(row, ({ store, params }) => deleteVendor(store, params.uuid));
