import { endpoint } from '../../lib/http/endpoint.ts';
import { openPage as row } from '../../lib/routes/me.ts';
import { openPage } from '../../lib/store/open-page.ts';

export const handler = endpoint(row, ({ store, params }) => openPage(store, params.identifier));
