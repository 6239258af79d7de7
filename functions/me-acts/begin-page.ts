import { endpoint } from '../../lib/http/endpoint.ts';
import { beginPage as row } from '../../lib/routes/me.ts';
import { beginPage, demandCode } from '../../lib/store/pages.ts';

export const handler = endpoint(row, ({ keyId }) => beginPage(keyId), { admit: demandCode });
