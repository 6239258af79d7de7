import { beforeEach, expect, test } from 'vitest';
import { applyCoupon } from '../../../lib/catalogue/applied-coupons.ts';
import { createCoupon } from '../../../lib/catalogue/coupons.ts';
import { createProduct } from '../../../lib/catalogue/products.ts';
import { source, timestamp } from '../../../lib/clock.ts';
import { changeCredit } from '../../../lib/credit/change.ts';
import { historyKey } from '../../../lib/credit/history.ts';
import type { CreditCommand } from '../../../lib/credit/rules.ts';
import type { CreditItem } from '../../../lib/credit/state.ts';
import { undoCreditChange } from '../../../lib/credit/undo.ts';
import { putResident } from '../../../lib/operator/residents.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import type { SaleRequest } from '../../../lib/routes/sales.ts';
import { makeQuote } from '../../../lib/sale/quote.ts';
import { refundSale } from '../../../lib/sale/refund.ts';
import { sell } from '../../../lib/sale/sell.ts';
import { couponUsesKey, customerKey } from '../../../lib/table/keys.ts';
import type { Item } from '../../../lib/table/language.ts';
import { engine } from '../../../lib/table/table.ts';
import { creditOf, statesOf } from '../../support/credit-seed.ts';
import { logLines } from '../../support/log.ts';
import { productWith } from '../../support/rows.ts';
import { setClock } from '../../support/service.ts';
import { MemoryTable, memoryEngine, nameOf } from '../table/memory.ts';

/**
 * DynamoDB does not promise that all items of a transaction become visible at once, or that another writer of one item
 * waits until the others are visible. Each test hides the lots of some changes from queries while further changes of
 * the customer go on.
 */

const start = Date.parse('2028-02-29T12:00:00.000Z');
const minute = 60_000;
const uuid = '00000001-51b0-4000-8000-000000000000';
const by = { by: 'test' };
const ids = ['00000001-5a1e-4000-8000-000000000000', '00000002-5a1e-4000-8000-000000000000'] as const;

let store = '';
let table = new MemoryTable();
/** The hidden items, what readers see instead, and the number of reads after which they become visible. */
const hidden = new Map<string, Item | undefined>();
let readsLeft = Number.POSITIVE_INFINITY;

const countRead = (): void => {
  if (readsLeft-- <= 0) hidden.clear();
};

beforeEach(async () => {
  table = new MemoryTable();
  hidden.clear();
  readsLeft = Number.POSITIVE_INFINITY;
  const ofMemory = memoryEngine(table);
  Object.assign(engine, {
    ...ofMemory,
    get: async (key) => {
      if (!hidden.has(nameOf(key))) return table.get(key);
      countRead();
      return hidden.get(nameOf(key));
    },
    query: async (query) => {
      countRead();
      return table.query(query, hidden);
    },
  } satisfies typeof engine);
  source.random = () => 0;
  setClock(start);
  logLines.length = 0;
  await putResident({ uuid, username: 'ada' });
  store = (await createStore('Late', 'late')).id;
});

const change = (command: CreditCommand) => changeCredit(store, { uuid }, 'regular', command, by);

/** The end of a lot, this many minutes after the start. */
const inMinutes = (minutes: number): string => timestamp(start + minutes * minute);

const add = (delta: number, minutes?: number) =>
  change({ kind: 'increment', delta, expiresAt: minutes === undefined ? undefined : inMinutes(minutes) });

const buy = (fields: Partial<SaleRequest> & Pick<SaleRequest, 'productId'>) =>
  sell(
    store,
    {
      ...{ id: ids[0], buyerIdentifier: { uuid }, recipientIdentifier: undefined, paid: 0 },
      ...{ useCredit: false, message: '', ...fields },
    },
    by,
  );

/** Makes a change, and hides the lots that end after this many minutes. */
const withoutLots = async (minutes: number, work: () => Promise<unknown>): Promise<void> => {
  const lots = (): ReadonlyMap<string, Item> => table.partitions.get(`${store}#LOT#${uuid}`) ?? new Map();
  const before = new Map(lots());
  await work();
  for (const [sk, lot] of lots())
    if (lot !== before.get(sk) && lot.expiresAt === inMinutes(minutes))
      hidden.set(nameOf({ pk: String(lot.pk), sk }), before.get(sk));
};

const booksOf = async () => {
  const { item, lots, faults } = await creditOf(store, uuid);
  const { credit, creditDue } = item as CreditItem;
  return { balance: credit, due: creditDue, states: statesOf(lots), faults };
};

test('a removal waits for a lot that shows after a later one was added', async () => {
  await add(10, 1);
  await withoutLots(2, () => add(50, 2));
  await add(20, 3);
  readsLeft = 3;

  expect((await add(-15)).credit).toBe(65);

  expect(await booksOf()).toEqual({
    ...{ balance: 65, due: inMinutes(2), states: { drained: 1, open: 2 }, faults: [] },
  });
});

test('a removal waits for a lot of a refund that shows after a later change', async () => {
  const product = await createProduct(store, productWith({ price: 60 }));
  for (const minutes of [1, 2, 3]) await add(20, minutes);
  expect((await buy({ productId: product.id, useCredit: true })).state).toBe('completed');
  await withoutLots(2, () => refundSale(store, ids[0], by));
  await add(1);
  readsLeft = 3;

  expect((await add(-25)).credit).toBe(36);

  expect(await booksOf()).toEqual({
    ...{ balance: 36, due: inMinutes(2), states: { drained: 4, open: 2 }, faults: [] },
  });
});

test('503s, and reports no fault of the books, while a lot does not show within a minute of the last change', async () => {
  await add(10, 1);
  await withoutLots(2, () => add(50, 2));
  setClock(start + minute);

  await expect(add(-15)).rejects.toMatchObject({ status: 503 });

  expect(logLines).toEqual([]);
  expect((await booksOf()).balance).toBe(60);
});

test('reports a fault of the books where a lot is missing more than a minute after the last change', async () => {
  await add(10, 3);
  await withoutLots(4, () => add(50, 4));
  setClock(start + minute + 1);

  await expect(add(-15)).rejects.toThrow('The books do not add up');

  expect(logLines).toMatchObject([{ level: 'ERROR', customer: uuid, type: 'regular' }]);
});

test('a sale takes less credit once it sees a lot that came due before it showed', async () => {
  const product = await createProduct(store, productWith({ price: 30 }));
  await add(20);
  await add(3, 2);
  await withoutLots(1, () => add(10, 1));
  await add(5, 1);
  setClock(start + minute);
  readsLeft = 3;

  const sale = await buy({ productId: product.id, useCredit: true, paid: 30 });

  expect(sale).toMatchObject({ state: 'completed', credit: 23, change: 23 });
  expect(await booksOf()).toMatchObject({ balance: 0, states: { drained: 1, expired: 2 }, faults: [] });
});

test('a removal is not misled by a lot that has ended and one that is missing, as many and as large', async () => {
  await add(10, 5);
  await add(10, 9);
  await withoutLots(5, () => add(-10));
  await add(10, 3);
  await withoutLots(7, () => add(10, 7));
  readsLeft = 5;

  expect((await add(-10)).credit).toBe(20);

  expect(await booksOf()).toEqual({
    ...{ balance: 20, due: inMinutes(7), states: { drained: 2, open: 2 }, faults: [] },
  });
});

const putMark = (mark: (creditMark: string) => string): void => {
  const key = customerKey(store, uuid);
  const item = table.get(key) as Item & { creditMark: string };
  table.partitions.get(key.pk)?.set(key.sk, { ...item, creditMark: mark(item.creditMark) });
};

test('a wrong mark of the lots waits for them within a minute of the last change', async () => {
  await add(10, 3);
  await add(10, 4);
  putMark((mark) => `${mark}0`);

  await expect(add(-15)).rejects.toMatchObject({ status: 503 });

  expect(logLines).toEqual([]);
});

test('mends a wrong mark of the lots later, with a warning, and reports no fault of the books', async () => {
  await add(10, 3);
  await add(10, 4);
  putMark((mark) => `${mark}0`);
  setClock(start + minute + 1);

  await add(-15);
  await add(-1);

  expect(logLines).toMatchObject([{ level: 'WARN', wrongMark: 'regular', customer: uuid }]);
  expect(await booksOf()).toMatchObject({ balance: 4, states: { drained: 1, open: 1 }, faults: [] });
});

test('a mark that was made for other lots does not count', async () => {
  await add(10, 3);
  await add(10, 4);
  putMark(() => '1 10 mark');

  await add(-15);

  expect(logLines).toEqual([]);
  expect((await booksOf()).faults).toEqual([]);
});

test('a quote counts no lot as it was before the balance that it counts', async () => {
  const product = await createProduct(store, productWith({ price: 60 }));
  await add(30, 1);
  await withoutLots(1, () => add(-12));
  setClock(start + minute);
  readsLeft = 1;

  const quote = await makeQuote(store, {
    ...{ productId: product.id, buyerIdentifier: { uuid }, recipientIdentifier: undefined, useCredit: true },
  });

  expect(quote).toMatchObject({ total: 60, credit: 0, toPay: 60 });
});

test('a removal from many lots waits for one that shows after a later one was added', async () => {
  for (let minutes = 10; minutes < 130; minutes++) await add(1, minutes);
  await withoutLots(10.5, () => add(50, 10.5));
  await add(2, 140);
  readsLeft = 4;

  expect((await add(-12)).credit).toBe(160);

  expect(await booksOf()).toMatchObject({ due: inMinutes(10.5), states: { drained: 1, open: 121 }, faults: [] });
});

test('a set of many lots ends one that shows after it was added', async () => {
  for (let minutes = 10; minutes < 130; minutes++) await add(1, minutes);
  await withoutLots(140, () => add(50, 140));
  readsLeft = 4;

  expect((await change({ kind: 'set', credit: 7 })).credit).toBe(7);

  expect(await booksOf()).toMatchObject({ balance: 7, states: { superseded: 121 }, faults: [] });
});

test('a refund gives back the use of a coupon that shows after the sale', async () => {
  const product = await createProduct(store, productWith({ price: 60 }));
  const fields = { code: 'half', discount: 50, ownerProfit: 0, active: true, bloggersSync: false };
  const coupon = await createCoupon(store, { uuid, username: 'ada' }, fields, { usesPerCustomer: 1 });
  await applyCoupon(store, { uuid }, { couponId: coupon.id, expiresInHours: 24 });
  const key = couponUsesKey(store, uuid, coupon.id);
  await buy({ productId: product.id, paid: 60 });
  await refundSale(store, ids[0], by);
  const before = table.get(key);
  await buy({ productId: product.id, paid: 60, id: ids[1] });
  hidden.set(nameOf(key), before);
  readsLeft = 1;

  await refundSale(store, ids[1], by);

  expect(table.get(key)).toMatchObject({ uses: 0 });
});

test('an undo of a set counts what was spent of its lot, though the end of that shows late', async () => {
  await add(30);
  await change({ kind: 'set', credit: 100, expiresAt: inMinutes(10) });
  await withoutLots(10, () => add(-10));
  const [lot] = [...(table.partitions.get(`${store}#LOT#${uuid}`)?.values() ?? [])] as [Item];
  const part = { id: String(lot.sk).split('#')[3] ?? '', expiresAt: inMinutes(10) };
  const row = { at: timestamp(start), expired: 0, restrictedCredit: 0 };
  table.set(historyKey(store, uuid, 'regular', 2), {
    ...historyKey(store, uuid, 'regular', 2),
    ...{ ...row, kind: 'set', amount: 70, credit: 100, unlotted: -30, lots: [{ ...part, amount: 100 }] },
  });
  table.set(historyKey(store, uuid, 'regular', 3), {
    ...historyKey(store, uuid, 'regular', 3),
    ...{ ...row, kind: 'increment', amount: -10, credit: 90, unlotted: 0, lots: [{ ...part, amount: -10 }] },
  });
  setClock(start + 11 * minute);
  // Two queries of history, and one of lots.
  readsLeft = 3;

  expect(await undoCreditChange(store, { uuid }, 2, by)).toMatchObject({
    amount: 20,
    left: 90,
    credit: { credit: 20 },
  });
});
