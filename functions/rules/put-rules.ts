import { endpoint } from '../../lib/http/endpoint.ts';
import { putRules as row } from '../../lib/routes/rules.ts';
import { putRules } from '../../lib/store/rules.ts';

export const handler = endpoint(row, ({ store, body }) => putRules(store, body));
