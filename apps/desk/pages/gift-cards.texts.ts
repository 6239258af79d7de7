import { money } from '../format.ts';
import { texts } from '../texts.ts';

export const t = {
  title: texts.titles.giftCards,
  caption: 'Gift cards',
  help: 'Enter a customer to see their gift cards, or the id of a card to see that one.',
  none: 'This customer has no gift card. Press Give a gift card.',
  noneFits: 'This customer has no gift card in this state.',
  noId: 'The id of a gift card is a UUID, such as 0b9d6c1e-3f5a-4a63-9a51-0c9b8f6d2e10.',
  customer: 'Customer: name or UUID',
  card: 'Id of a card',
  amount: 'Amount',
  owner: 'Owner',
  state: 'State',
  states: { ready: 'Ready', redeemed: 'Redeemed', disabled: 'Disabled' },
  transfer: 'Who may redeem it',
  anybody: 'Anybody',
  ownerOnly: 'The owner',
  id: 'Id',
  of: (credit: number, id: string) => `card of ${money(credit)}, ${id}`,
  reason: 'Reason (optional)',
  reference: 'Reference (optional)',
  disable: {
    open: 'Disable',
    title: (credit: number) => `Disable the card of ${money(credit)}?`,
    text: (owner: string, credit: number) =>
      `Nobody can redeem it any more: ${owner} loses ${money(credit)}. A disabled card stays disabled. You can give a new one.`,
    submit: 'Disable it for good',
    done: (credit: number) => `Disabled the card of ${money(credit)}.`,
  },
  grant: {
    open: 'Give a gift card',
    submit: 'Give the card',
    amount: 'Amount in L$',
    transfer: 'Anybody may redeem it',
    transferHelp: 'Otherwise only this customer may.',
    done: (credit: number, name: string) => `Gave ${name} a gift card of ${money(credit)}.`,
  },
  redeem: {
    open: 'Redeem',
    title: (credit: number) => `Redeem ${money(credit)}`,
    submit: 'Redeem the card',
    who: 'Who gets the credit: name or UUID',
    anybody: 'Anybody may redeem this card.',
    ownerOnly: 'Only the owner may redeem this card.',
    expires: 'Last day of the credit (optional)',
    done: (credit: number, name: string, after: number) =>
      `Redeemed ${money(credit)} for ${name}, who has ${money(after)} now.`,
  },
};
