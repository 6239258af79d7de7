import { randomUUID } from 'node:crypto';
import { createStore } from '../../cli/deployment/stores.ts';
import { newId, now, timestamp } from '../../lib/clock.ts';
import { customerKey, flagsOf } from '../../lib/store/customers.ts';
import { ownedKey, ownedWrite } from '../../lib/store/owned.ts';
import { createProduct } from '../../lib/store/products.ts';
import { purchaseKey, spentMore } from '../../lib/store/spend.ts';
import { rankedBy, spendKey, spendListOf } from '../../lib/store/spend-list.ts';
import { applied } from '../../lib/table/language.ts';
import { productWith } from '../../test/support/rows.ts';
import { putAll } from '../../test/support/seed.ts';
import { idOf } from '../../test/support/seeded-store.ts';
import type { Call } from '../../test/support/service.ts';
import { callIn } from './call.ts';
import { ratesOf, report, withTable } from './support.ts';

/** How many pairs of a quote and a sale a store makes per second. */
interface SalesRow {
  /** Of the store. Each has bought something before, and holds credit. */
  customers: number;
  /** How many pairs are under way at once. */
  buyers: number;
  perSecond: number;
}

const sizes = [1_000, 100_000];
const buyersTried = [1, 8];
export const price = 100;

/** Customers who have spent L$ 1 each, own a product and hold credit. */
function* customersOf(store: string, count: number, productId: string): Generator<object> {
  const at = timestamp(now());
  for (let number = 0; number < count; number++) {
    const id = idOf(number);
    const spent = spentMore(undefined, [{ price: 1, at }], 1);
    const username = `resident${number}`;
    const lists = { newsSubscriber: false, flags: flagsOf(store, false) };
    const credit = { credit: 10_000, creditUnlotted: 10_000, creditVersion: 1 };
    yield { ...customerKey(store, id), username, ...lists, ...credit };
    const ranked = { ranked: spendListOf(store, false), ...rankedBy(spent.sum, id) };
    yield { ...spendKey(store, id), username, ...spent, ...ranked };
    yield { ...purchaseKey(store, id), uuid: id, productId, price: 1, at };
    const key = ownedKey(store, id, productId);
    yield { ...key, ...applied(ownedWrite(key, undefined, [at]), { ...key }) };
  }
}

export interface Shop {
  store: string;
  customers: number;
  call: Call;
  productId: string;
  /** Made so far: no two pairs in a row have the same buyer. */
  pairs: number;
}

/** Makes a store with a product, limited to `copies` if given, and customers who each own another. */
export const makeShop = async (customers: number, copies?: number): Promise<Shop> => {
  const { id: store } = await createStore(`Store of ${customers}`);
  const stock = copies === undefined ? {} : { limited: true, availableAmount: copies };
  const { id: productId } = await createProduct(store, productWith({ price, ...stock }));
  await putAll(customersOf(store, customers, newId()));
  return { store, customers, call: callIn(store), productId, pairs: 0 };
};

/** Quotes a sale, every other one of which credit pays, and makes it. */
const sellOnce = async (shop: Shop): Promise<void> => {
  // A step without a common divisor with the sizes leads to each customer in turn, all over the table.
  const buyerIdentifier = idOf((shop.pairs++ * 7_919) % shop.customers);
  const asked = { productId: shop.productId, buyerIdentifier, useCredit: shop.pairs % 2 === 0 };
  const { quote, toPay } = (await shop.call('POST', '/v1/quotes', asked)).body;
  const { body } = await shop.call('POST', '/v1/sales', { ...asked, id: randomUUID(), quote, paid: toPay });
  if (body.state !== 'completed') throw new Error(`A sale was refused: ${body.refusal}.`);
};

/** Pairs of quote and sale, by the functions themselves, against the engine on this machine. */
export const measureSales = async (options: { rounds: number; requests: number }): Promise<void> => {
  const rows = await withTable(async () => {
    const shops: Shop[] = [];
    for (const size of sizes) shops.push(await makeShop(size));
    const contestants = buyersTried.flatMap((callers) => shops.map((shop) => ({ shop, callers })));
    return ratesOf(contestants, options, ({ shop }) => sellOnce(shop));
  });
  report(
    'sales',
    rows.map(
      ({ contestant: { shop, callers: buyers }, perSecond }): SalesRow => ({
        ...{ customers: shop.customers, buyers, perSecond },
      }),
    ),
  );
};
