import { banCustomer, updateCustomer } from '../../../lib/routes/customers.ts';
import { boolean, identifier } from '../../../lib/routes/wire.ts';
import { type CustomerItem, listCustomerItems } from '../../../lib/store/customers.ts';
import { everyRow } from '../../../lib/table/query.ts';
import { customers as importer } from '../../plans/customers.ts';
import type { Kind } from '../kinds.ts';

const { shape } = updateCustomer.body;
const { reason } = banCustomer.body.shape;

export const customers: Kind = {
  name: 'customers',
  summary: 'what the store has set of its customers; their credit and purchases have files of their own',
  columns: [
    { name: 'resident', form: 'text', check: identifier(), help: 'the customer, by UUID or username' },
    { name: 'discount', form: 'integer', check: shape.discount.unwrap().default(0), help: 'their discount' },
    { name: 'newsSubscriber', form: 'boolean', check: boolean().default(false), help: 'whether they get the news' },
    { name: 'isBanned', form: 'boolean', check: boolean().default(false), help: 'whether they are banned' },
    { name: 'banReason', form: 'text', check: reason.unwrap().default(''), help: 'why, if they are' },
  ],
  unique: ({ resident }, uuidOf) => ({ resident: [uuidOf(resident)] }),
  importer: () => importer,
  rows: async function* rows(store) {
    const unset = { discount: 0, newsSubscriber: false, isBanned: false };
    for await (const item of everyRow<CustomerItem>(listCustomerItems(store), ({ sk }) => sk))
      yield { ...unset, ...item, resident: item.sk };
  },
};
