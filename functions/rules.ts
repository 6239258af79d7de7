import { serveTogether } from '../lib/http/shared-function.ts';
import * as rows from '../lib/routes/rules.ts';
import { handler as getRules } from './rules/get-rules.ts';
import { handler as updateRules } from './rules/update-rules.ts';

export const handler = serveTogether([rows.getRules, getRules], [rows.updateRules, updateRules]);
