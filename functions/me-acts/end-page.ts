import { endpoint } from '../../lib/http/endpoint.ts';
import { endPage as row } from '../../lib/routes/me.ts';
import { demandPage, endPage } from '../../lib/store/pages.ts';

export const handler = endpoint(row, ({ keyId }) => endPage(keyId), { admit: demandPage });
