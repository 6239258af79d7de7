import { loaded, type Source } from '../lists/source.ts';
import type { Customer, CustomerFilter } from '../routes/customers.ts';
import { customerKey } from '../table/keys.ts';
import type { Key } from '../table/schema.ts';
import { getMany, rowsOf } from '../table/table.ts';
import { type CustomerItem, flagsOf, listCustomerItems, readCustomer } from './customers.ts';
import { spentMoreThan } from './spend-list.ts';

/** A listed customer, with the place in the list's order. */
type ListedCustomer = Customer & { position: string };

const listed = (item: CustomerItem, position: string): ListedCustomer => ({ ...readCustomer(item), position });

/** Lists all customers from one partition of the table, or the subscribed (or all other) ones by the index of flags. */
const byUuid = (store: string, newsSubscriber: boolean | undefined): Source<ListedCustomer> => {
  if (newsSubscriber === undefined)
    return async (range) => {
      const items = await listCustomerItems(store)(range);
      return items.map((item) => listed(item, item.sk));
    };
  const rows = rowsOf<Key>({ partition: flagsOf(store, newsSubscriber), index: 'byFlags' });
  return loaded(
    rows,
    ({ sk }) => sk,
    async (keys) => {
      const items = await getMany<CustomerItem>(keys);
      return items
        .filter((item) => (item.newsSubscriber ?? false) === newsSubscriber)
        .map((item) => listed(item, item.sk));
    },
  );
};

/** Lists customers in the order of spend, so that customers who spent no more than the sum are never read. */
const bySpend = (store: string, sum: number, newsSubscriber: boolean | undefined): Source<ListedCustomer> =>
  loaded(
    spentMoreThan(store, sum, newsSubscriber),
    ({ rank }) => rank,
    async (rows) => {
      const ranks = new Map(rows.map(({ sk, rank }) => [sk, rank]));
      const items = await getMany<CustomerItem>([...ranks.keys()].map((uuid) => customerKey(store, uuid)));
      return items
        .filter((item) => (item.newsSubscriber ?? false) === (newsSubscriber ?? item.newsSubscriber ?? false))
        .map((item) => listed(item, ranks.get(item.sk) ?? ''));
    },
  );

/**
 * The customers that pass the filter, and the name of their order: there are two, and a cursor belongs to one of them.
 * Nobody has spent less than 0, so a negative `spentMoreThan` keeps everybody.
 */
export const listCustomers = (
  store: string,
  { newsSubscriber, spentMoreThan = -1 }: CustomerFilter,
): { source: Source<ListedCustomer>; order: string } =>
  spentMoreThan < 0
    ? { source: byUuid(store, newsSubscriber), order: '' }
    : { source: bySpend(store, spentMoreThan, newsSubscriber), order: 'spend' };
