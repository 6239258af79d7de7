import { flagsOf } from '../../lib/avatars/customers.ts';
import { rankedBy, spendListOf } from '../../lib/avatars/spend-list.ts';
import { couponItems } from '../../lib/catalogue/coupons.ts';
import { giftCardItem } from '../../lib/catalogue/gift-cards.ts';
import { memberKey, sortedInto } from '../../lib/catalogue/memberships.ts';
import { productItem } from '../../lib/catalogue/products.ts';
import { timestamp } from '../../lib/clock.ts';
import { createStore } from '../../lib/operator/stores.ts';
import { customerKey, partition, spendKey } from '../../lib/table/keys.ts';

import { ada, bob } from './residents.ts';
import { productWith } from './rows.ts';
import { putAll } from './seed.ts';

/** The lists that can be seeded. `texts` is the index that a product search reads. */
export type SeededList = 'products' | 'texts' | 'coupons' | 'customers' | 'categories';

/**
 * Pages of 40 read at most this many rows. Rows behind them only have to take up a place in the table and its indexes,
 * so they are items without content, which cuts the seeding to a quarter of the time.
 */
const reachableByPages = 1_000;

/** An id in the order of creation, as in a real store. */
export const idOf = (number: number): string => `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`;

const createdAt = (number: number): string => timestamp(Date.UTC(2026, 0) + number);

const categoryItem = (store: string, id: string, productCount = 0) => ({
  pk: partition(store, 'CATEGORY'),
  sk: id,
  id,
  name: 'A category of some products',
  productCount,
});

/** The spend of customer number n: L$ n. */
const spendItem = (store: string, number: number, isSubscribed: boolean) => {
  const [id, username] = [idOf(number), `resident${number}`];
  const place = { ranked: spendListOf(store, isSubscribed), ...rankedBy(number, id) };
  return { ...spendKey(store, id), username, sum: number, totalOwned: 0, days: {}, ...place };
};

const rowsOf = (store: string, category: string, number: number) => {
  const id = idOf(number);
  const active = number % 10 !== 9;
  const isSubscribed = number % 5 === 0;
  const product = productItem(
    store,
    productWith({
      name: `Product number ${number} of many`,
      listed: number % 4 !== 0,
      bloggable: number % 4 === 1,
      item: `item ${number}`,
      description: number % 2 ? 'A description of some words.' : '',
      active,
    }),
    { id },
    sortedInto([category]),
  );
  const fields = { code: `Code ${number}`, discount: 1, ownerProfit: 1, bloggersSync: false, active };
  const { coupon } = couponItems(store, ada, fields, { id, createdAt: createdAt(number) });
  const gift = { credit: 5, texture: null, transfer: false, active };
  return {
    product,
    member: memberKey(store, category, id, product),
    coupon,
    // All four combinations of the flags.
    card: giftCardItem(store, bob, gift, { id, redeemed: number % 20 < 10 }),
    customer: {
      ...customerKey(store, id),
      username: `resident${number}`,
      newsSubscriber: isSubscribed,
      flags: flagsOf(store, isSubscribed),
    },
    spend: spendItem(store, number, isSubscribed),
    category: categoryItem(store, id),
  };
};

/** Flags repeat after this many rows, so a bare item has the flags of the row at the same point of the period. */
const period = 20;

function* itemsOf(
  store: string,
  category: string,
  count: number,
  lists: readonly SeededList[],
  reachable: number,
): Generator<object> {
  yield categoryItem(store, category, count);
  for (let number = 0; number < Math.min(count, reachable); number++)
    yield* Object.values(rowsOf(store, category, number));
  const likes = Array.from({ length: period }, (_, number) => rowsOf(store, category, number));
  for (let number = reachable; number < count; number++) {
    const { product, coupon, card, customer } = likes[number % period] as (typeof likes)[number];
    const { flags, texts, text } = product as Partial<Record<'flags' | 'texts' | 'text', string>>;
    const sk = idOf(number);
    const ofText = lists.includes('texts') ? { texts, text } : {};
    if (lists.includes('products')) {
      yield { pk: `${product.pk}#bare`, sk, flags, ...ofText, ranked: card.ranked, rank: sk };
      yield memberKey(store, category, sk, product);
    }
    if (lists.includes('coupons'))
      yield { pk: coupon.pk, sk, flags: coupon.flags, ranked: coupon.ranked, rank: `${createdAt(number)}#${sk}` };
    if (lists.includes('customers'))
      yield* [{ pk: customer.pk, sk, flags: customer.flags }, spendItem(store, number, customer.newsSubscriber)];
    if (lists.includes('categories')) yield categoryItem(store, sk);
  }
}

/**
 * Seeds a store with this many rows in these lists. All products are in one category, and as many gift cards belong to
 * Bob. Ada owns the coupons. A tenth of products, coupons and gift cards is inactive, a fifth of the customers is
 * subscribed, and customer number n has spent L$ n. For each kind, as many rows as `reachable` says are complete.
 */
export const seedStore = async (
  count: number,
  lists: readonly SeededList[],
  reachable = reachableByPages,
): Promise<{ store: string; category: string }> => {
  const { id: store } = await createStore(`Store of ${count}`);
  const category = 'ca7e0000-7e57-0000-0000-000000000000';
  await putAll(itemsOf(store, category, count, lists, reachable));
  return { store, category };
};
