import { serveTogether } from '../lib/http/shared-function.ts';
import * as rows from '../lib/routes/dispenser.ts';
import { handler as listDispensers } from './dispenser/list-dispensers.ts';
import { handler as registerDispenser } from './dispenser/register-dispenser.ts';

export const handler = serveTogether(
  [rows.listDispensers, listDispensers],
  [rows.registerDispenser, registerDispenser],
);
