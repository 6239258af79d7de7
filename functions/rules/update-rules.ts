import { endpoint } from '../../lib/http/endpoint.ts';
import { updateRules as row } from '../../lib/routes/rules.ts';
import { updateRules } from '../../lib/store/rules.ts';

export const handler = endpoint(row, ({ store, body }) => updateRules(store, body));
