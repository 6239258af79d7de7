import { endpoint } from '../../lib/http/endpoint.ts';
import { reportChange as row } from '../../lib/routes/sales.ts';
import { reportChange } from '../../lib/sale/report-change.ts';

export const handler = endpoint(row, ({ store, params, body, isScript }) =>
  reportChange(store, params.id, body, isScript),
);
