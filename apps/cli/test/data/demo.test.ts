import { beforeAll, expect, test } from 'vitest';
import { demandUuid, getCustomerItem } from '../../../../lib/avatars/customers.ts';
import { source } from '../../../../lib/clock.ts';
import { asDecided } from '../../../../lib/credit/lot.ts';
import { listLots } from '../../../../lib/credit/lots.ts';
import { creditTypes } from '../../../../lib/credit/rules.ts';
import { type CreditItem, holdingOf } from '../../../../lib/credit/state.ts';
import { deliveriesList } from '../../../../lib/delivery/deliveries.ts';
import { type Identifier, parseIdentifier } from '../../../../lib/identifier.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { seedWaiting } from '../../../../local/demo/deliveries.ts';
import { seedDemo } from '../../../../local/demo/demo.ts';
import { seedResidents } from '../../../../local/demo/residents.ts';
import { intercept } from '../../../../test/support/faults.ts';
import { freshTable, setClock, wholeTable } from '../../../../test/support/service.ts';
import { checkCategories } from '../../kinds/categories.ts';
import { checkUses } from '../../kinds/coupon-uses.ts';
import { checkCodes, checkCoupons } from '../../kinds/coupons.ts';
import { checkCredit } from '../../kinds/credit.ts';
import { checkStrays } from '../../kinds/customers.ts';
import { checkStock } from '../../kinds/products.ts';
import { checkSales } from '../../kinds/sales.ts';
import { checkSpend } from '../../kinds/spend.ts';

/** The demo rows after an interruption and a second run. */

beforeAll(async () => {
  await freshTable();
  // Rows that were written at different times differ.
  setClock(source.now());
  await seedResidents();
});

const newStores = async () => ({ store: await createStore('Demo'), other: await createStore('Other') });
type Stores = Awaited<ReturnType<typeof newStores>>;

/** Fails every write from the `nth` one to a kind of item on. */
const failFrom = (kind: string, nth: number): (() => void) => {
  let seen = 0;
  return intercept(async ({ input, isWrite }, send) => {
    if (isWrite && JSON.stringify(input).includes(`#${kind}`)) seen += 1;
    if (isWrite && seen >= nth) throw new Error('interrupted');
    return send();
  });
};

/** The random part of a UUIDv7, whose other part is the time. */
const randomPart = /([\da-f]{8}-[\da-f]{4}-7)[\da-f]{3}(?:-[\da-f]{4}-[\da-f]{12})/g;

/**
 * The stores' rows, with the stores' ids and the random parts of deliveries' ids replaced. Credit, stamps and the
 * applications that a coupon replaced are left out: they show a second run.
 */
const rowsOf = async ({ store, other }: Stores): Promise<Record<string, unknown>> => {
  const rows = (await wholeTable()).map(({ stamp: _, earlierStamp: __, earlier: ___, ...item }) => ({
    key: `${item.pk} ${item.sk}`,
    item: JSON.parse(
      JSON.stringify(item).replaceAll(store.id, 'store').replaceAll(other.id, 'other').replace(randomPart, '$1'),
    ),
  }));
  const ours = new RegExp(`^(${store.id}|${other.id})#(?!CUSTOMER|LOT)`);
  return Object.fromEntries(
    rows.filter(({ key }) => ours.test(key)).map(({ item }) => [`${item.pk} ${item.sk}`, item]),
  );
};

const creditIn = async ({ store }: Stores) => {
  const uuid = await demandUuid(store.id, parseIdentifier('vera.vendor') as Identifier);
  const item: CreditItem = await getCustomerItem(store.id, uuid);
  const lots = (await listLots(store.id, uuid)).map((lot) => asDecided(lot, item));
  return creditTypes.map((type) => {
    const open = lots.filter(({ sk, state }) => sk.startsWith(`${type}#`) && state === 'open');
    const { balance, unlotted } = holdingOf(item, type);
    return { type, balance, unlotted, open: open.map(({ remaining, expiresAt }) => ({ remaining, expiresAt })) };
  });
};

const faultsIn = async ({ store }: Stores): Promise<string[]> => {
  const faults: string[] = [];
  const listener = { onFault: (fault: string) => faults.push(fault), onChecked: () => {} };
  for (const check of [
    ...[checkCredit, checkSpend, checkCoupons, checkCodes, checkCategories, checkStrays],
    ...[checkSales, checkUses, checkStock],
  ])
    await check(store.id, listener);
  return faults;
};

let whole: { rows: object; credit: object };
beforeAll(async () => {
  const stores = await newStores();
  await seedDemo(stores.store, stores.other);
  whole = { rows: await rowsOf(stores), credit: await creditIn(stores) };
});

test.each([
  ['PRODUCT', 2],
  ['MEMBER', 3],
  ['LOT', 2],
  ['COUPON', 3],
  ['SALE', 12],
])('are complete after a first run that failed at %s %i', async (kind, nth) => {
  const stores = await newStores();
  const goOn = failFrom(kind, nth);
  await expect(seedDemo(stores.store, stores.other)).rejects.toThrow('interrupted');
  goOn();

  await seedDemo(stores.store, stores.other);

  expect(await rowsOf(stores)).toEqual(whole.rows);
  expect(await creditIn(stores)).toEqual(whole.credit);
  expect(await faultsIn(stores)).toEqual([]);
});

test('are the same after a second complete run', async () => {
  const stores = await newStores();
  await seedDemo(stores.store, stores.other);

  await seedDemo(stores.store, stores.other);

  expect(await rowsOf(stores)).toEqual(whole.rows);
  expect(await faultsIn(stores)).toEqual([]);
});

test('the deliveries are listed newest first, with the waiting one at the top', async () => {
  const stores = await newStores();
  await seedDemo(stores.store, stores.other);
  await seedWaiting(stores.store);
  await seedWaiting(stores.store);

  const { source } = await deliveriesList(stores.store.id, {});
  const listed = await source({ descending: false });

  const times = listed.map(({ createdAt }) => createdAt);
  expect(times).toEqual(times.toSorted().reverse());
  expect(listed.filter(({ state }) => state === 'waiting')).toEqual([listed[0]]);
});
