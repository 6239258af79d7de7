import { randomUUID } from 'node:crypto';
import { subscribed } from '../../lib/avatars/customers.ts';
import { ownedWrite } from '../../lib/avatars/owned.ts';
import { spentMore } from '../../lib/avatars/spend.ts';
import { rankedBy, spendListOf } from '../../lib/avatars/spend-list.ts';
import { createProduct } from '../../lib/catalogue/products.ts';
import { newId, now, timestamp } from '../../lib/clock.ts';
import { createStore } from '../../lib/operator/stores.ts';
import { customerKey, ownedKey, purchaseKey, spendKey } from '../../lib/table/keys.ts';
import { applied } from '../../lib/table/language.ts';
import { productWith } from '../../test/support/rows.ts';
import { putAll } from '../../test/support/seed.ts';
import { idOf } from '../../test/support/seeded-store.ts';
import { callIn } from './call.ts';
import { ratesOf, report, withTable } from './support.ts';

const buyersTried = [1, 8];
export const price = 100;
export const creditEach = 10_000;

export const nameOf = (number: number): string => `resident${number}`;

/** Customers who hold credit and have bought a product: number n for L$ n + 1. A fifth of them subscribes to news. */
export function* customersOf(store: string, count: number, productId: string): Generator<object> {
  const at = timestamp(now());
  for (let number = 0; number < count; number++) {
    const id = idOf(number);
    const username = nameOf(number);
    const isSubscribed = number % 5 === 0;
    const credit = { credit: creditEach, creditUnlotted: creditEach, creditVersion: 1 };
    yield { ...customerKey(store, id), username, ...subscribed(store, isSubscribed), ...credit };
    const purchase = { price: number + 1, at };
    const spent = spentMore(undefined, [purchase], 1);
    const ranked = { ranked: spendListOf(store, isSubscribed), ...rankedBy(spent.sum, id) };
    yield { ...spendKey(store, id), username, ...spent, ...ranked };
    yield { ...purchaseKey(store, id), uuid: id, productId, ...purchase };
    const key = ownedKey(store, id, productId);
    yield { ...key, ...applied(ownedWrite(key, undefined, [at]), { ...key }) };
  }
}

/** Makes a store with a product, limited to `copies` if given, and customers who each own another. */
export const makeShop = async (customers: number, copies?: number) => {
  const { id: store } = await createStore(`Store of ${customers}`);
  const stock = copies === undefined ? {} : { limited: true, availableAmount: copies };
  const { id: productId } = await createProduct(store, productWith({ price, ...stock }));
  await putAll(customersOf(store, customers, newId()));
  return { store, customers, productId };
};

/** Quotes a sale and makes it. Credit pays every other sale. */
const sellOnce = async ({ store, customers, productId }: Awaited<ReturnType<typeof makeShop>>, number: number) => {
  const call = callIn(store);
  // This step has no common divisor with the sizes, so it leads to each customer in turn, all over the table.
  const buyerIdentifier = idOf((number * 7_919) % customers);
  const asked = { productId, buyerIdentifier, useCredit: number % 2 === 0 };
  const { quote, toPay } = (await call('POST', '/v1/quotes', asked)).body;
  const { body } = await call('POST', '/v1/sales', { ...asked, id: randomUUID(), quote, paid: toPay });
  if (body.state !== 'completed') throw new Error(`A sale was refused: ${body.refusal}.`);
};

/** Pairs of quote and sale, by the functions themselves, against the engine on this machine. */
export const measureSales = (options: { rounds: number; requests: number; customers: number }): Promise<void> =>
  withTable(async () => {
    const shops: Awaited<ReturnType<typeof makeShop>>[] = [];
    for (const size of [1_000, options.customers]) shops.push(await makeShop(size));
    const contestants = buyersTried.flatMap((callers) => shops.map((shop) => ({ shop, callers })));
    const measured = await ratesOf(contestants, options, ({ shop }, number) => sellOnce(shop, number));
    report(
      'sales',
      measured.map(({ contestant, perSecond }) => ({
        ...{ customers: contestant.shop.customers, buyers: contestant.callers, perSecond },
      })),
    );
  });
