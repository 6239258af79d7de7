import { beforeEach, expect, test } from 'vitest';
import { applyCoupon } from '../../../lib/catalogue/applied-coupons.ts';
import { createCoupon } from '../../../lib/catalogue/coupons.ts';
import { updateProduct } from '../../../lib/catalogue/products.ts';
import { source } from '../../../lib/clock.ts';
import { changeCredit } from '../../../lib/credit/change.ts';
import { putResident } from '../../../lib/operator/residents.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { refundSale } from '../../../lib/sale/refund.ts';
import { updateRules } from '../../../lib/store/rules.ts';
import { couponUsesKey, customerKey, saleKey, spendKey } from '../../../lib/table/keys.ts';
import type { Item } from '../../../lib/table/language.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { engine } from '../../../lib/table/table.ts';
import { creditOf } from '../../support/credit-seed.ts';
import { ada, bob } from '../../support/residents.ts';
import { productWith } from '../../support/rows.ts';
import { setClock } from '../../support/service.ts';
import { MemoryTable, memoryEngine, nameOf } from '../table/memory.ts';
import { buy, newProduct, stockOf } from './sales.ts';

/**
 * Scenes of a sale or refund that reads some items as they were before another one, and the others as they are after
 * it. Each scene fails if its rule is missing.
 */

const by = { by: 'test' };
const ids = [1, 2].map((number) => `0000000${number}-5a1e-4000-8000-000000000000`) as [string, string];

let store = '';
let table = new MemoryTable();
/**
 * Items that reads see in an earlier state, each until it was read this often. Reads as of one moment see the real
 * state.
 */
const late = new Map<string, { item: Item | undefined; reads: number }>();

const seen = (key: Key): Item | undefined => {
  const earlier = late.get(nameOf(key));
  if (!earlier || earlier.reads === 0) return table.get(key);
  earlier.reads -= 1;
  return earlier.item;
};

beforeEach(async () => {
  table = new MemoryTable();
  late.clear();
  Object.assign(engine, {
    ...memoryEngine(table),
    get: async (key) => seen(key),
    getSome: async (keys) => ({ items: keys.map(seen).filter((item) => item !== undefined), rest: [] }),
  } satisfies typeof engine);
  source.random = () => 0;
  setClock(Date.parse('2028-02-29T12:00:00.000Z'));
  for (const each of [ada, bob]) await putResident(each);
  store = (await createStore('Late', 'late')).id;
});

/** Does the work, after which the next `reads` reads of the item see it as it was before. */
const unseen = async (key: Key, work: () => Promise<unknown>, reads = 1): Promise<void> => {
  const item = table.get(key);
  await work();
  late.set(nameOf(key), { item, reads });
};

/** Applies a coupon of half the price to bob, which he may use once. Answers the key of his uses. */
const applyHalf = async (...products: string[]): Promise<Key> => {
  const fields = { code: 'half', discount: 50, ownerProfit: 0, active: true, bloggersSync: false };
  const coupon = await createCoupon(store, ada, fields, { usesPerCustomer: 1 });
  for (const productId of [undefined, ...products])
    await applyCoupon(store, { uuid: bob.uuid }, { couponId: coupon.id, expiresInHours: 24, productId });
  return couponUsesKey(store, bob.uuid, coupon.id);
};

const rules = {
  groupDiscount: 0,
  tiers: [],
  bonus: { percent: 0, groupPercent: 0, type: 'regular' as const, expiresInDays: null },
};

/** Takes 20 percent off the price for buyers who have spent L$ 110 in the last year. */
const setTier = () => updateRules(store, { ...rules, tiers: [{ from: 110, percent: 20 }] });

const give = (delta: number) =>
  changeCredit(store, { uuid: bob.uuid }, 'regular', { kind: 'increment', delta, expiresAt: undefined }, by);

test('a sale that sees the credit of a refund sees the use that came back with it', async () => {
  const uses = await applyHalf();
  await give(30);
  const productId = await newProduct(store, { price: 60 });
  const wanted = { productId, buyer: bob.uuid, useCredit: true };
  await buy(store, { ...wanted, id: ids[0], paid: 60 });
  await unseen(uses, () => refundSale(store, ids[0], by));

  const sale = await buy(store, { ...wanted, id: ids[1], paid: 60 });

  expect(sale).toMatchObject({ total: 30, credit: 30, change: 60 });
  expect(table.get(uses)).toMatchObject({ uses: 1 });
});

test('a sale counts one number of uses of a coupon that is applied for the product and to the store', async () => {
  const productId = await newProduct(store, { price: 60 });
  const uses = await applyHalf(productId);
  const wanted = { productId, buyer: bob.uuid, paid: 60 };
  // A second read of the uses would see the sale that the first one does not.
  await unseen(uses, () => buy(store, { ...wanted, id: ids[0] }));

  const sale = await buy(store, { ...wanted, id: ids[1] });

  expect(sale).toMatchObject({ state: 'completed', total: 60, discount: { source: 'none' } });
  expect(table.get(uses)).toMatchObject({ uses: 1 });
});

test('a sale is refused only for what was there at one moment', async () => {
  const uses = await applyHalf();
  const productId = await newProduct(store, { price: 60, limited: true, availableAmount: 1 });
  await buy(store, { id: ids[0], productId, buyer: bob.uuid, paid: 30 });
  // The copy that came back is seen, and the use that came back with it is not: the price would be too high.
  await unseen(uses, () => refundSale(store, ids[0], by));

  const sale = await buy(store, { id: ids[1], productId, buyer: bob.uuid, paid: 30 });

  expect(sale).toMatchObject({ state: 'completed', total: 30 });
});

test('a sale that sees the copy of a refund takes the credit that came back with it', async () => {
  await give(30);
  const productId = await newProduct(store, { price: 60, limited: true, availableAmount: 1 });
  const wanted = { productId, buyer: bob.uuid, useCredit: true };
  await buy(store, { ...wanted, id: ids[0], paid: 30 });
  await unseen(customerKey(store, bob.uuid), () => refundSale(store, ids[0], by));

  const sale = await buy(store, { ...wanted, id: ids[1], paid: 60 });

  expect(sale).toMatchObject({ state: 'completed', credit: 30, change: 30 });
});

test('a sale takes a copy from the stock that it saw', async () => {
  const productId = await newProduct(store, { price: 60, limited: true, availableAmount: 2 });

  await buy(store, { id: ids[0], productId, buyer: bob.uuid, paid: 60 });

  expect(await stockOf(store, productId)).toBe(1);
});

test('a refund that sees the sale as completed leaves one that was refunded before', async () => {
  await give(30);
  const productId = await newProduct(store, { price: 60 });
  await buy(store, { id: ids[0], productId, buyer: bob.uuid, useCredit: true, paid: 60 });
  // The owned item is gone by then, as the refund sees it, and a gift of the product has brought a new one.
  await unseen(saleKey(store, ids[0]), () => refundSale(store, ids[0], by));

  expect(await refundSale(store, ids[0], { by: 'other', reference: 'other' })).toMatchObject({ state: 'refunded' });

  expect((await creditOf(store, bob.uuid)).item).toMatchObject({ credit: 30 });
});

test('a refused sale counts a tier and the uses of a coupon of one moment', async () => {
  await setTier();
  const uses = await applyHalf();
  const productId = await newProduct(store, { price: 240 });
  await buy(store, { id: ids[0], productId, buyer: bob.uuid, paid: 120 });
  // The spend is gone again, and so is the tier; that the coupon can be used again is not seen.
  await unseen(uses, () => refundSale(store, ids[0], by));

  const sale = await buy(store, { id: ids[1], productId, buyer: bob.uuid, paid: 200 });

  expect(sale).toMatchObject({ state: 'completed', total: 120, change: 80 });
});

test.each<[string, Partial<ReturnType<typeof productWith>>]>([
  ['price', { price: 90 }],
  ['discount', { price: 100, discount: { value: 90, type: 2, startDate: null, endDate: null } }],
])('a sale is not refused for the new %s beside the credit from before it', async (_, change) => {
  const productId = await newProduct(store, { price: 60 });
  await give(20);
  // The sale sees 20, which pay neither price together with what was paid; the 60 of the moment of the new price do.
  await unseen(customerKey(store, bob.uuid), async () => {
    await give(40);
    await updateProduct(store, productId, { ...productWith({ price: 60 }), ...change });
  });

  const sale = await buy(store, { id: ids[1], productId, buyer: bob.uuid, useCredit: true, paid: 35 });

  expect(sale).toMatchObject({ state: 'completed', total: 90, credit: 60 });
});

test('a sale is not refused for the new price beside the spend from before it', async () => {
  await setTier();
  const lamp = await newProduct(store, { price: 110 });
  const productId = await newProduct(store, { price: 90 });
  // The sale does not see the spend that brings the tier. With it the new price is 96.
  const grow = async () => {
    await buy(store, { id: ids[0], productId: lamp, buyer: bob.uuid, paid: 110 });
    await updateProduct(store, productId, productWith({ price: 120 }));
  };
  await unseen(spendKey(store, bob.uuid), grow, 2);

  const sale = await buy(store, { id: ids[1], productId, buyer: bob.uuid, paid: 96 });

  expect(sale).toMatchObject({ state: 'completed', total: 96, discount: { source: 'tier' } });
});

test('a sale for credit alone takes the tier of the moment of that credit', async () => {
  await setTier();
  const lamp = await newProduct(store, { price: 50 });
  const chair = await newProduct(store, { price: 100 });
  await buy(store, { productId: lamp, buyer: bob.uuid, paid: 50 });
  await give(40);
  await buy(store, { id: ids[0], productId: chair, buyer: bob.uuid, useCredit: true, paid: 60 });
  // With its credit back the tier is gone: 40 do not pay for a lamp of 50.
  await unseen(spendKey(store, bob.uuid), () => refundSale(store, ids[0], by), 2);

  const sale = await buy(store, { id: ids[1], productId: lamp, buyer: bob.uuid, useCredit: true });

  expect(sale).toMatchObject({ state: 'refused', refusal: 'underpaid', total: 50 });
  expect((await creditOf(store, bob.uuid)).item).toMatchObject({ credit: 40 });
});

test('a refund that does not see the credit of its sale takes the bonus back', async () => {
  const productId = await newProduct(store, { price: 60 });
  await buy(store, { productId, buyer: bob.uuid, paid: 60 });
  await updateRules(store, { ...rules, bonus: { ...rules.bonus, percent: 10 } });
  const customer = customerKey(store, bob.uuid);
  await unseen(customer, () => buy(store, { id: ids[0], productId, buyer: bob.uuid, paid: 60 }));

  await refundSale(store, ids[0], by);

  expect((await creditOf(store, bob.uuid)).item).toMatchObject({ credit: 0 });
});
