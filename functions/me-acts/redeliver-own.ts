import { redeliver } from '../../lib/delivery/order.ts';
import { pageAct } from '../../lib/http/page-endpoint.ts';
import { redeliverOwn as row } from '../../lib/routes/me.ts';

export const handler = pageAct(row, ({ store, uuid }, { params }) => redeliver(store, { uuid }, params.productId, ''));
