/** The words for a sale that several pages use. */
export const saleWords = {
  states: { completed: 'Completed', refused: 'Refused', refunded: 'Refunded' },
  refusals: {
    'unknown-resident': 'Nobody is known by this name.',
    'unknown-product': 'There is no such product.',
    quote: 'The quote was not made for this sale.',
    closed: 'The store is closed.',
    banned: 'The buyer or the recipient is banned.',
    inactive: 'The product is not active.',
    'sold-out': 'No copy is left.',
    'credit-changed': 'The buyer’s credit has changed meanwhile.',
    'coupon-used': 'The coupon has been used up meanwhile.',
    underpaid: 'Less was paid than the price.',
  },
  base: 'Price',
  listPrice: 'List price',
  /** A product's own discount, by its type. */
  ownDiscounts: {
    0: (percent: number) => `Discount of the product, ${percent} %`,
    1: () => 'Discount of the product',
    2: () => 'Sale price of the product',
  },
  buyer: 'Buyer',
  buyerFilter: 'Buyer: name or UUID',
  discounts: {
    customer: (percent: number) => `Discount of the customer, ${percent} %`,
    coupon: (percent: number) => `Discount of a coupon, ${percent} %`,
    tier: (percent: number) => `Discount for what they have spent, ${percent} %`,
    group: (percent: number) => `Discount of the group, ${percent} %`,
  },
  byCredit: 'Paid with credit',
  byRestricted: 'Paid with restricted credit',
  bonus: 'Bonus: credit for the buyer',
  /** The action. */
  sell: 'Sell',
};

/** The colour of each state. */
export const tones = { completed: 'good', refused: 'warn', refunded: 'plain' } as const;
