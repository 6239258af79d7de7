import { loaded, merged, type Source } from '../lists/source.ts';
import type { Customer, CustomerFilter } from '../routes/customers.ts';
import type { Key } from '../table/schema.ts';
import { getMany, rowsOf } from '../table/table.ts';
import { type CustomerItem, flagsOf, listCustomerItems, rankedOf, rankOf, readCustomer } from './customers.ts';

/** A listed customer, with the place in the list's order. */
type ListedCustomer = Customer & { position: string };

const listed = (item: CustomerItem, position: string): ListedCustomer => ({ ...readCustomer(item), position });

/** Reads all customers from one partition of the table, and those who are (not) subscribed from the index of flags. */
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

/** In the order of spend, so that customers at or below the sum are never read. */
const bySpend = (store: string, sum: number, newsSubscriber: boolean | undefined): Source<ListedCustomer> => {
  const first = rankOf(sum + 1, '');
  const partitions = [false, true]
    .filter((subscribed) => subscribed === (newsSubscriber ?? subscribed))
    .map((subscribed) =>
      rowsOf<Key & { rank: string }>({
        partition: rankedOf(store, subscribed),
        index: 'byRank',
        first,
      }),
    );
  return loaded(
    merged(partitions, ({ rank }) => rank),
    ({ rank }) => rank,
    async (keys) => {
      const ranks = new Map(keys.map(({ sk, rank }) => [sk, rank]));
      const items = await getMany<CustomerItem>(keys);
      return items
        .filter(
          (item) =>
            (item.sum ?? 0) > sum &&
            (item.newsSubscriber ?? false) === (newsSubscriber ?? item.newsSubscriber ?? false),
        )
        .map((item) => listed(item, ranks.get(item.sk) ?? ''));
    },
  );
};

/**
 * The customers that pass the filter, and which of the two orders they are in: a cursor belongs to one of them. Nobody
 * has spent less than 0, so a negative `spentMoreThan` keeps everybody.
 */
export const listCustomers = (
  store: string,
  { newsSubscriber, spentMoreThan = -1 }: CustomerFilter,
): { source: Source<ListedCustomer>; order: string } =>
  spentMoreThan < 0
    ? { source: byUuid(store, newsSubscriber), order: '' }
    : { source: bySpend(store, spentMoreThan, newsSubscriber), order: 'spend' };
