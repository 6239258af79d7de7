import { nilUuid } from '../../lib/identifier.ts';
import type { ProductFields } from '../../lib/routes/products.ts';

/** The fields of a product after a request with name and price only. */
export const productWith = (fields: Partial<ProductFields> = {}): ProductFields => ({
  name: 'Chair',
  price: 100,
  image: nilUuid,
  listed: true,
  bloggable: false,
  permissions: { copy: true, modify: false, transfer: false },
  discount: { value: 0, type: 0, startDate: null, endDate: null },
  availableAmount: 0,
  limited: false,
  item: 'Chair',
  blockCredits: false,
  description: '',
  profitShares: [],
  demoId: null,
  active: true,
  ...fields,
});
