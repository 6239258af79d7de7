import { serveTogether } from '../lib/http/together.ts';
import * as rows from '../lib/routes/rules.ts';
import { handler as getProductCard } from './product-card/get-product-card.ts';
import { handler as putProductCard } from './product-card/put-product-card.ts';

export const handler = serveTogether([rows.getProductCard, getProductCard], [rows.putProductCard, putProductCard]);
