import { money } from '../format.ts';
import { saleWords } from '../words/sale.ts';

export const t = {
  ...saleWords,
  title: (product: string) => `Sell ${product}`,
  useCredit: 'Store credit pays first',
  inGroup: 'The buyer wears the tag of the group',
  ask: 'Show the price',
  toPay: 'To be paid inworld',
  submit: (toPay: number) => (toPay > 0 ? `${money(toPay)} was paid: sell` : 'Sell'),
  done: (product: string) => `Sold ${product}. Its delivery is on the way.`,
  referenceHelp: 'Such as the number of the transaction inworld.',
  reference: 'Reference (optional)',
};
