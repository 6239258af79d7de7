import { count, some } from '../format.ts';
import { texts } from '../texts.ts';

export const t = {
  title: texts.titles.customers,
  caption: 'Customers of the store',
  none: 'There are no customers yet. A customer appears with the first credit, coupon or purchase: find anybody by name at the top.',
  noneFits: 'No customer fits these filters.',
  name: 'Name',
  credit: 'Credit',
  restricted: 'Restricted',
  discount: 'Discount',
  uuid: 'Avatar UUID',
  banned: 'Banned',
  news: 'News',
  yes: 'Yes',
  no: 'No',
  which: 'Show',
  subscribers: 'News subscribers',
  spent: 'Spent more than L$',
  chosen: (customers: number) => `${some(customers, 'customer is', 'customers are')} chosen.`,
  tooMany: (most: number) =>
    `More than ${count(most)} are chosen, which is the most at once here. Choose fewer, or run store credit give.`,
  give: 'Give credit',
};
