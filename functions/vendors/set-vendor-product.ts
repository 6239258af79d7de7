import { endpoint } from '../../lib/http/endpoint.ts';
import { setVendorProduct as row } from '../../lib/routes/vendors.ts';
import { setProduct } from '../../lib/vendor/vendors.ts';

export const handler = endpoint(row, ({ store, params, body }) => setProduct(store, params.uuid, body.productId));
