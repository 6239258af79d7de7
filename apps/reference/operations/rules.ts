import type { OperationText } from '../operation-text.ts';

const extension = '**An extension of this service, beyond the contract.** ';

export const ruleTexts: Record<string, OperationText> = {
  'rules/get-rules': {
    description:
      `${extension}The discounts and the bonus that the store gives to all its buyers, as \`PUT /v1/store/rules\` has set them. ` +
      'Without any, all are 0.',
  },
  'rules/update-rules': {
    description:
      `${extension}Replaces the rules as a whole: what is left out is 0, or none. They count for quotes and sales that begin from now on. ` +
      '`groupDiscount` and `tiers` are further candidates for the one percentage of a sale: the largest of coupon, customer, tier and ' +
      'group counts alone. A bonus is credit that the buyer gets back of the L$ they paid.',
    request: {
      groupDiscount: 5,
      tiers: [
        { from: 1000, percent: 3 },
        { from: 10_000, percent: 7.5 },
      ],
      bonus: { percent: 2, groupPercent: 4, type: 'restricted', expiresInDays: 90 },
    },
    refused: { groupDiscount: 2.00001 },
  },
  'product-card/get-product-gift-card': {
    description: `${extension}The gift card that each sale of the product makes for its recipient; credit 0: it makes none.`,
    parameters: { id: '00000003-dede-4ede-8ede-000000000002' },
  },
  'product-card/update-product-gift-card': {
    description:
      `${extension}Each sale of the product makes a gift card of this credit for its recipient, who owns it as bought; the item is ` +
      'delivered as ever. Such a product is sold for its own `activePrice` and for L$ alone: no percentage, coupon, credit or bonus ' +
      'counts. A `PUT` of the product leaves this as it is. A refund disables the card for good, and is 400 once it is redeemed.',
    parameters: { id: '00000003-dede-4ede-8ede-000000000002' },
    request: { credit: 500 },
    refused: { credit: -1 },
  },
};
