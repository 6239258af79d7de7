import { pageRead } from '../../lib/http/page-endpoint.ts';
import { getMe as row } from '../../lib/routes/me.ts';
import { readMe } from '../../lib/store/me.ts';

export const handler = pageRead(row, readMe);
