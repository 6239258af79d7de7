import { money } from '../format.ts';

export const t = {
  intro:
    'Of all percentages that a buyer could get (their own discount, a coupon, the tier, the group) the largest counts alone.',
  save: 'Save the rules',
  saved: 'Saved. The next quote or sale follows these rules.',
  group: {
    title: 'Group',
    help: 'For buyers who wear the tag of the group that the vendor is set to.',
    discount: 'Discount',
  },
  discounts: 'Discounts',
  tiers: {
    title: 'Tiers',
    help: 'For buyers who spent so much here in the last year. The highest tier that they reached counts.',
    from: 'Spent in the last year, at least',
    percent: 'Discount',
    add: 'Add a tier',
    inWords: ({ from, percent }: { from: number; percent: number }) => `from ${money(from)}: ${percent} %`,
    removeOf: (place: number) => `Remove tier ${place}`,
  },
  bonus: {
    title: 'Bonus',
    help: 'Credit that each buyer gets back, from the L$ that they paid.',
    percent: 'For everybody',
    groupPercent: 'For the group',
    type: 'Kind of credit',
    types: { restricted: 'Restricted: only for own purchases', regular: 'Regular' },
    days: 'Days until it expires',
    daysHelp: 'Empty: it does not expire.',
  },
  preview: {
    title: 'What a buyer sees',
    price: 'Price of a product',
    spent: 'Spent in a year',
    inGroup: 'Wears the tag of the group',
    help: 'By the rules in the form, saved or not, for a buyer without a discount or coupon of their own.',
    none: 'Complete the numbers to see what buyers pay.',
    sentence: ({
      spent,
      inGroup,
      price,
      total,
      bonus,
      type,
      until,
    }: {
      spent: number;
      inGroup: boolean;
      price: number;
      total: number;
      bonus: number;
      type: 'restricted' | 'regular';
      until: string | null;
    }) =>
      `${inGroup ? 'A member of the group' : 'Somebody'} who spent ${money(spent)} pays ${money(total)} for a product of ${money(price)}${
        bonus === 0
          ? '.'
          : `, and gets ${money(bonus)} of ${type} credit back${until === null ? '.' : ` until ${until}.`}`
      }`,
  },
};
