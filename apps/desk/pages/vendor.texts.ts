import { count, money, some } from '../format.ts';
import { texts } from '../texts.ts';

export const t = {
  title: texts.titles.vendors,
  caption: 'Vendors of the store',
  none: 'No vendor has registered yet. Set up an object inworld: it appears here by itself.',
  noneFits: 'No vendor fits these filters.',
  name: 'Vendor',
  region: 'Region',
  product: 'Product',
  nothing: 'Sells nothing',
  script: 'Version',
  seen: 'Last seen',
  state: 'State',
  states: { active: 'Active', lost: 'Lost' },
  sales: 'Yours in 30 days (sales)',
  salesOf: (sales: number, yours: number) => `${money(yours)} (${count(sales)})`,
  registered: 'First seen',
  position: 'Place',
  chosen: (vendors: number) => `${some(vendors, 'vendor is', 'vendors are')} chosen.`,
  change: {
    open: 'Change the product',
    title: (vendors: number) => `Change the product of ${some(vendors, 'vendor', 'vendors')}`,
    product: 'Product',
    help: 'Empty: they sell nothing.',
    submit: 'Change it',
    progress: (done: number, all: number) => `${count(done)} of ${count(all)} changed.`,
    done: (product: string, vendors: number, gone: number) =>
      `${some(vendors, 'vendor sells', 'vendors sell')} ${product} now.${gone > 0 ? ` ${some(gone, 'was', 'were')} not there any more.` : ''}`,
    nothing: 'nothing',
  },
  forget: {
    open: 'Forget',
    title: (name: string) => `Forget ${name}?`,
    text: 'It disappears from the list. If the object still runs, it is listed again when it registers, and sells nothing until you choose a product.',
    submit: 'Forget it',
    done: (name: string) => `Forgot ${name}.`,
  },
  lostText: 'It has not been heard from for 30 hours: it may be taken away, or its region may be down.',
  noSales: 'It sold nothing in these days.',
};
