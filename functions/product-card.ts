import { serveTogether } from '../lib/http/shared-function.ts';
import * as rows from '../lib/routes/rules.ts';
import { handler as getProductGiftCard } from './product-card/get-product-gift-card.ts';
import { handler as updateProductGiftCard } from './product-card/update-product-gift-card.ts';

export const handler = serveTogether(
  [rows.getProductGiftCard, getProductGiftCard],
  [rows.updateProductGiftCard, updateProductGiftCard],
);
