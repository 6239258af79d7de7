import { beforeEach, expect, test } from 'vitest';
import { listCustomers } from '../../../lib/avatars/customer-list.ts';
import { updateCustomer } from '../../../lib/avatars/customers.ts';
import { forgetResidents } from '../../../lib/avatars/residents.ts';
import { putResident } from '../../../lib/operator/residents.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import type { Write } from '../../../lib/table/language.ts';
import { engine } from '../../../lib/table/table.ts';
import { setClock } from '../../support/service.ts';
import { buy, newProduct } from '../sale/sales.ts';
import { memoryEngine } from '../table/memory.ts';

/** Buyers are sorted by spend in the lists of their subscription, whatever comes between. */

const uuidOf = (number: number): string => `0000000${number}-5a1e-4000-8000-00000000000${number}`;
let store = '';
let productId = '';

beforeEach(async () => {
  Object.assign(engine, memoryEngine());
  setClock(Date.parse('2028-02-29T12:00:00.000Z'));
  forgetResidents();
  for (const number of [1, 2, 3, 4, 5, 6]) await putResident({ uuid: uuidOf(number), username: `buyer${number}` });
  store = (await createStore('Spend', 'spend')).id;
  productId = await newProduct(store, { price: 10 });
});

const spend = (number: number, paid = 10, useCredit = false) =>
  buy(store, { productId, buyer: uuidOf(number), paid, useCredit });

const buyersIn = async (newsSubscriber?: boolean, spentMoreThan = 0): Promise<string[]> => {
  const { source } = listCustomers(store, { newsSubscriber, spentMoreThan });
  return (await source({ descending: false, limit: 100 })).map(({ username }) => username);
};

test('buyers are listed by what they have spent, in the order of both lists', async () => {
  for (const [number, times] of [3, 1, 5, 2, 6, 4].entries()) for (let i = 0; i < times; i++) await spend(number + 1);

  expect(await buyersIn()).toEqual(['buyer2', 'buyer4', 'buyer1', 'buyer6', 'buyer3', 'buyer5']);
  expect(await buyersIn(undefined, 30)).toEqual(['buyer6', 'buyer3', 'buyer5']);
});

test('a subscription takes a buyer into its list, and back', async () => {
  for (const number of [1, 2]) await spend(number);

  const customer = await updateCustomer(store, { uuid: uuidOf(2) }, { newsSubscriber: true, discount: 5 });

  expect(customer).toMatchObject({ newsSubscriber: true, discount: 5 });
  expect([await buyersIn(true), await buyersIn(false)]).toEqual([['buyer2'], ['buyer1']]);
  await updateCustomer(store, { uuid: uuidOf(2) }, { newsSubscriber: false });
  expect([await buyersIn(true), await buyersIn(false)]).toEqual([[], ['buyer1', 'buyer2']]);
});

/** Does `work` right before the first transaction that `isAwaited` picks. */
const before = (isAwaited: (writes: readonly Write[]) => boolean, work: () => Promise<unknown>): void => {
  const { transact } = engine as Required<typeof engine>;
  engine.transact = async (writes, token) => {
    if (isAwaited(writes)) {
      engine.transact = transact;
      await work();
    }
    return transact(writes, token);
  };
};

const sells = (writes: readonly Write[]): boolean =>
  writes.some((write) => write.kind === 'put' && write.item.pk === `${store}#SALE`);

test.each([false, true])(
  'a first sale knows a subscription that comes between; credit is asked for: %s',
  async (asked) => {
    await updateCustomer(store, { uuid: uuidOf(1) }, { discount: 5 });
    before(sells, () => updateCustomer(store, { uuid: uuidOf(1) }, { newsSubscriber: true }));

    await spend(1, 10, asked);

    expect([await buyersIn(true), await buyersIn(false)]).toEqual([['buyer1'], []]);
  },
);

test('a subscription knows a first sale that comes between', async () => {
  await updateCustomer(store, { uuid: uuidOf(1) }, { discount: 5 });
  before(
    (writes) => !sells(writes),
    () => spend(1),
  );

  await updateCustomer(store, { uuid: uuidOf(1) }, { newsSubscriber: true });

  expect([await buyersIn(true), await buyersIn(false)]).toEqual([['buyer1'], []]);
});
