import { count } from '../format.ts';

/** The words for a product and its discount that several pages use. */
export const productWords = {
  inactive: 'Inactive',
  left: (copies: number) => (copies === 0 ? 'Sold out' : `${count(copies)} left`),
  discountTypes: { 0: 'Percent off', 1: 'L$ off', 2: 'Another price' },
  /** A discount's changes. */
  discount: {
    changes: {
      'discount.type': 'Kind of discount',
      'discount.value': 'Discount',
      'discount.startDate': 'Begins',
      'discount.endDate': 'Ends',
    },
    atOnce: 'at once',
    never: 'never',
  },
};
