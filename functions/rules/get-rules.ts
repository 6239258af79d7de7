import { endpoint } from '../../lib/http/endpoint.ts';
import { getRules as row } from '../../lib/routes/rules.ts';
import { getRules } from '../../lib/store/rules.ts';

export const handler = endpoint(row, ({ store }) => getRules(store));
