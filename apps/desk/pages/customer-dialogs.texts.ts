import { money } from '../format.ts';
import { creditWords } from '../words/credit.ts';

export const t = {
  give: {
    ...creditWords,
    title: (name: string) => `Give or take credit: ${name}`,
    way: 'What to do',
    add: 'Give',
    take: 'Take',
    amount: 'Amount in L$',
    reason: 'Reason (optional)',
    reasonHelp: 'Shown in the history. The customer may ask for it.',
    effect: (before: number, after: number) => `${money(before)} now, ${money(after)} afterwards`,
    tooMuch: (before: number) => `The customer has ${money(before)} only.`,
    whole: 'Enter a whole number of L$, 1 or more.',
    submit: (amount: number) => (amount < 0 ? `Take ${money(-amount)}` : `Give ${money(amount)}`),
    submitEmpty: 'Give credit',
    given: (amount: number, name: string, after: number) =>
      amount < 0
        ? `Took ${money(-amount)} from ${name}, who has ${money(after)} now.`
        : `Gave ${money(amount)} to ${name}, who has ${money(after)} now.`,
    undoReason: 'Undone at the desk',
    undone: (amount: number, left: number, expires: boolean) => {
      if (left === 0) return 'Undone.';
      if (amount < 0) return 'The credit was set again since, so nothing was given back.';
      const lost = expires ? 'were spent or have expired' : 'were spent';
      return `${money(amount - left)} of ${money(amount)} taken back; ${money(left)} ${lost}.`;
    },
    has: (name: string, after: number) => `${name} has ${money(after)}.`,
  },
  card: {
    title: (name: string) => `Give a gift card: ${name}`,
    amount: 'Amount in L$',
    transfer: 'Anybody may redeem it',
    transferHelp: 'Otherwise only this customer may.',
    reason: 'Reason (optional)',
    submit: 'Give the card',
    done: (amount: number, name: string) => `Gave ${name} a gift card of ${money(amount)}.`,
  },
  coupon: {
    title: (name: string) => `Apply a coupon: ${name}`,
    code: 'Code of the coupon',
    product: 'Only for the product (optional)',
    productHelp: 'Empty: for the whole store.',
    hours: 'Hours until it ends',
    submit: 'Apply',
    done: (code: string, until: string) => `Applied ${code} until ${until}.`,
  },
  discount: {
    title: (name: string) => `Change the discount: ${name}`,
    percent: 'Discount on every purchase, in percent',
    done: (name: string, percent: number) => `${name} has a discount of ${percent} % now.`,
  },
  ban: {
    title: (name: string) => `Ban ${name}?`,
    text: 'Vendors refuse to sell to a banned customer. What they own and hold stays.',
    reason: 'Reason (optional)',
    submit: 'Ban',
    done: (name: string) => `Banned ${name}.`,
  },
};
