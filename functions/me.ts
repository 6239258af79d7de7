import { serveTogether } from '../lib/http/shared-function.ts';
import * as rows from '../lib/routes/me.ts';
import { handler as getMe } from './me/get-me.ts';
import { handler as listOwnCards } from './me/list-own-cards.ts';
import { handler as listOwnHistory } from './me/list-own-history.ts';
import { handler as listOwnLots } from './me/list-own-lots.ts';
import { handler as listOwnProducts } from './me/list-own-products.ts';

export const handler = serveTogether(
  [rows.getMe, getMe],
  [rows.listOwnLots, listOwnLots],
  [rows.listOwnHistory, listOwnHistory],
  [rows.listOwnProducts, listOwnProducts],
  [rows.listOwnCards, listOwnCards],
);
