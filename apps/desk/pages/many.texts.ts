import { some } from '../format.ts';
import { creditWords } from '../words/credit.ts';

export const t = {
  credit: {
    ...creditWords,
    title: (customers: number) => `Give credit to ${some(customers, 'customer', 'customers')}`,
    amount: 'L$ for each',
    run: (day: string) => `Gift ${day}`,
  },
  discount: {
    title: (products: number) => `Set the discount of ${some(products, 'product', 'products')}`,
    value: 'Percent',
    help: 'It replaces the discount of each. 0 ends it.',
    startDate: 'Begins (optional)',
    startHelp: 'Empty: at once.',
    endDate: 'Ends (optional)',
    endHelp: 'Empty: never.',
  },
};
