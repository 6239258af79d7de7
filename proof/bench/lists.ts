import { ada, bob, seedResidents } from '../../test/support/residents.ts';
import { type SeededList, seedStore } from '../../test/support/seeded-store.ts';
import type { Call } from '../../test/support/service.ts';
import { callIn } from './call.ts';
import { inTurns, median, report, rounded, withTable } from './support.ts';

/**
 * A page of every list under every filter: in stores of each size its units, and the median time of the whole function
 * against the local engine.
 */
type ListRow = Record<string, string | number>;

const sizes = [1_000, 10_000, 100_000];
const lists: SeededList[] = ['products', 'texts', 'coupons', 'customers', 'categories'];

const search = 'search (finds none)';

const pages = (category: string): [list: string, filter: string, path: string][] => {
  const cards = `/v1/customers/${bob.uuid}/giftcards`;
  return [
    ['customers', '', '/v1/customers?'],
    ['customers', 'newsSubscriber=true', '/v1/customers?newsSubscriber=true'],
    ['customers', 'spentMoreThan=100', '/v1/customers?spentMoreThan=100'],
    ['customers', 'both', '/v1/customers?spentMoreThan=100&newsSubscriber=true'],
    ['products', '', '/v1/products?'],
    ['products', 'listed=true', '/v1/products?listed=true'],
    ['products', 'bloggable=true', '/v1/products?bloggable=true'],
    ['products', 'listed=true, bloggable=false', '/v1/products?listed=true&bloggable=false'],
    ['products', 'category', `/v1/products?category=${category}`],
    ['products', 'search (finds all)', '/v1/products?search=of+many'],
    ['products', search, '/v1/products?search=no+such+product'],
    ['categories', '', '/v1/categories?'],
    ['coupons', '', '/v1/coupons?'],
    ['coupons', 'active=true', '/v1/coupons?active=true'],
    ['coupons', 'active=false', '/v1/coupons?active=false'],
    ['coupons', 'of one owner', `/v1/coupons/owner/${ada.uuid}?`],
    ['gift cards', 'of one owner', `${cards}?`],
    ['gift cards', 'active=true', `${cards}?active=true`],
    ['gift cards', 'redeemed=true', `${cards}?redeemed=true`],
    ['gift cards', 'active=true, redeemed=false', `${cards}?active=true&redeemed=false`],
  ];
};

/** Makes all three stores before the first is measured: they take turns. */
export const measureLists = async ({ rounds }: { rounds: number }): Promise<void> => {
  const rows = await withTable(async () => {
    await seedResidents();
    const stores: { size: number; category: string; call: Call }[] = [];
    for (const size of sizes) {
      const { store, category } = await seedStore(size, lists);
      stores.push({ size, category, call: callIn(store) });
    }
    const measured: ListRow[] = [];
    for (const [list, filter, path] of pages(stores[0]?.category ?? '')) {
      const unitsAt = new Map<number, number>();
      const url = `${path}${path.endsWith('?') ? '' : '&'}limit=40`;
      // A search without a match reads the whole list, which takes about a second in the largest store.
      const times = await inTurns(stores, { rounds: filter === search ? 3 : rounds }, async ({ size, call }) => {
        const started = performance.now();
        const { cost } = await call('GET', url);
        unitsAt.set(size, cost?.units ?? 0);
        return performance.now() - started;
      });
      const row: ListRow = { list, filter };
      for (const { size, values } of times) {
        const count = size.toLocaleString('en');
        row[`units at ${count}`] = unitsAt.get(size) ?? 0;
        row[`ms at ${count}`] = rounded(median(values));
      }
      measured.push(row);
    }
    return measured;
  });
  report('lists', rows);
};
