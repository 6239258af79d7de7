import { categoryFields } from './fields/categories.ts';
import type { FieldTexts } from './fields/common.ts';
import { couponFields } from './fields/coupons.ts';
import { customerFields } from './fields/customers.ts';
import { dispenserFields } from './fields/dispenser.ts';
import { giftCardFields } from './fields/gift-cards.ts';
import { productFields } from './fields/products.ts';

/** The texts of all fields. A field without a text, or a text without a field, stops the generator. */
export const fieldTexts: FieldTexts = {
  ...couponFields,
  ...customerFields,
  ...giftCardFields,
  ...productFields,
  ...categoryFields,
  ...dispenserFields,
  Pagination: {
    nextCursor: 'Send it as `cursor` for the next page. Null: this is the last page.',
    previousCursor: 'Send it as `cursor` for the page before. Null: this is the first page.',
    limit: 'The most rows a page has, as asked for.',
  },
};
