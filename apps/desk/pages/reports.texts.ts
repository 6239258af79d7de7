import { count } from '../format.ts';
import { texts } from '../texts.ts';

export const t = {
  title: texts.titles.reports,
  intro:
    'Yours is what buyers paid, less refunds, the shares of others and the commissions of coupons. Months and days are those of UTC.',
  byMonth: 'Month by month',
  payouts: 'Payouts by month',
  month: 'Month',
  sales: 'Sales',
  paid: 'Paid',
  refunded: 'Given back',
  shares: 'Shares',
  commissions: 'Commissions',
  yours: 'Yours',
  creditAdded: 'Credit given',
  creditSpent: 'Credit spent',
  bonus: 'Bonus',
  nothing: 'Nothing was sold in the last twelve months.',
  nothingSold: 'Nothing was sold in this month.',
  products: (month: string) => `Best products, ${month}`,
  buyers: (month: string) => `Best buyers, ${month}`,
  product: 'Product',
  buyer: 'Buyer',
  reading: (read: number, of: number) =>
    `Reading sales: ${count(read)}${of > read ? ` of about ${count(of)}` : ''}. Leave the page to stop.`,
  byDay: 'Day by day',
  credit: 'Store credit',
  added: 'Given',
  spent: 'Spent',
  expired: 'Expired',
  removed: 'Taken',
  held: 'Customers hold',
  regular: 'Regular',
  restricted: 'Restricted',
  deliveries: 'Deliveries',
  delivered: 'Delivered',
  failed: 'Failed',
  nothingInDays: 'Nothing was sold, and no credit changed, in these days.',
  cut: (most: number) =>
    `Only the newest ${count(most)} sales of the month are counted here. This command counts all of them. Run it in a terminal, as docs/operate/terminal.md shows:`,
  command: (month: string) => `npx store report --month ${month}`,
};
