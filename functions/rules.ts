import { serveTogether } from '../lib/http/together.ts';
import * as rows from '../lib/routes/rules.ts';
import { handler as getRules } from './rules/get-rules.ts';
import { handler as putRules } from './rules/put-rules.ts';

export const handler = serveTogether([rows.getRules, getRules], [rows.putRules, putRules]);
