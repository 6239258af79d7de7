import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Resident } from '../../../../lib/avatars/residents.ts';
import {
  createCategory,
  deleteCategory,
  freeMembers,
  getCategory,
  listMembers,
} from '../../../../lib/catalogue/categories.ts';
import { createCoupon, getCoupon, updateCoupon } from '../../../../lib/catalogue/coupons.ts';
import { cardRefund, disableGiftCard, getGiftCard } from '../../../../lib/catalogue/gift-cards.ts';
import { addMember } from '../../../../lib/catalogue/memberships.ts';
import { createProduct, getProduct, updateProduct } from '../../../../lib/catalogue/products.ts';
import { categoryImporter } from '../../../../lib/operator/imports/categories.ts';
import { couponImporter } from '../../../../lib/operator/imports/coupons.ts';
import { giftCardImporter } from '../../../../lib/operator/imports/gift-cards.ts';
import { productImporter } from '../../../../lib/operator/imports/products.ts';
import { type Importer, writeRows } from '../../../../lib/operator/imports/rows.ts';
import { transact } from '../../../../lib/table/table.ts';
import { intercept, throttled } from '../../../../test/support/faults.ts';
import { newResident } from '../../../../test/support/residents.ts';
import { productWith } from '../../../../test/support/rows.ts';
import { freshTable } from '../../../../test/support/service.ts';

/** Concurrent changes during an import: the import changes only the fields for which its file has columns. */

const store = 'S';
const coupon = { code: 'SUMMER', discount: 5, ownerProfit: 0, active: true, bloggersSync: false };
let owner: Resident;
let stop = () => {};
beforeAll(async () => {
  await freshTable();
  owner = await newResident();
});
afterEach(() => stop());

/** Imports a row. `meanwhile` runs between the import's reads and its writes. Answers what became of the row. */
const importWith = async <F>(importer: Importer<F>, fields: F, meanwhile: () => Promise<unknown>) => {
  let done = false;
  stop = intercept(async ({ operation }, send) => {
    if (!done && operation === 'TransactWriteItems') {
      done = true;
      await meanwhile();
    }
    return send();
  });
  const groups = await writeRows(importer, [{ line: 1, fields }], { store });
  expect(done).toBe(true);
  return groups[0]?.outcome;
};

test('a gift card that is disabled during an import stays disabled with its credit, and the row is at fault', async () => {
  const row = { id: randomUUID(), owner, credit: 5 };
  await importWith(giftCardImporter, row, async () => {});

  const outcome = await importWith(giftCardImporter, { ...row, credit: 9 }, () => disableGiftCard(store, row.id));

  expect(outcome).toMatchObject({ field: 'credit', value: 9 });
  expect(await getGiftCard(store, row.id)).toMatchObject({ credit: 5, active: false });
});

test('a gift card whose sale is refunded during an import keeps the mark of it', async () => {
  const row = { id: randomUUID(), owner, credit: 5, active: false };
  await importWith(giftCardImporter, row, async () => {});

  // It is disabled already: the mark alone is new.
  const outcome = await importWith(giftCardImporter, { ...row, active: true }, async () => {
    await transact([cardRefund(await getGiftCard(store, row.id), '2026-01-01T00:00:00.000Z')]);
  });

  expect(outcome).toMatchObject({ field: 'active', value: true });
  expect(await getGiftCard(store, row.id)).toMatchObject({ active: false, refundedAt: expect.any(String) });
});

test('a coupon that is made inactive during an import stays inactive, and gets its new discount', async () => {
  const { id } = await createCoupon(store, owner, coupon);
  const row = { id, code: 'SUMMER', owner, discount: 20 };

  await importWith(couponImporter, row, () => updateCoupon(store, id, { ...coupon, active: false }));

  expect(await getCoupon(store, id)).toMatchObject({ discount: 20, active: false });
});

test('a product that is made inactive during an import stays inactive, and gets its new price', async () => {
  const { id } = await createProduct(store, productWith());

  await importWith(productImporter(), { id, name: 'Chair', price: 7 }, () =>
    updateProduct(store, id, productWith({ active: false })),
  );

  expect(await getProduct(store, id)).toMatchObject({ price: 7, active: false });
});

test('a category that is deleted during an import is created again, without its products', async () => {
  const { id } = await createCategory(store, { name: 'Seating' });
  const product = await createProduct(store, productWith());
  await addMember(store, id, product.id);

  await importWith(categoryImporter, { id, name: 'Chairs' }, () => deleteCategory(store, id));

  expect(await getCategory(store, id)).toEqual(expect.objectContaining({ name: 'Chairs', productCount: 0 }));
});

test('memberships that an interrupted deletion left behind do not come back with an imported category', async () => {
  const { id } = await createCategory(store, { name: 'Seating' });
  const product = await createProduct(store, productWith());
  await addMember(store, id, product.id);
  stop = intercept(async ({ operation, input }, send) => {
    if (operation === 'TransactWriteItems' && JSON.stringify(input).includes('#MEMBER')) throw throttled();
    return send();
  });
  await deleteCategory(store, id);
  stop();

  await importWith(categoryImporter, { id, name: 'Seating' }, async () => {});

  expect((await getCategory(store, id)).productCount).toBe(0);
  expect(await listMembers(store, id)({ descending: false })).toEqual([]);
});

test('an import keeps the products of a category that a concurrent import has created', async () => {
  const { id } = await createCategory(store, { name: 'Seating' });
  const product = await createProduct(store, productWith());
  await deleteCategory(store, id);

  await importWith(categoryImporter, { id, name: 'Seating' }, async () => {
    await createCategory(store, { name: 'Seating' }, { id });
    await addMember(store, id, product.id);
  });
  await freeMembers(store, id);

  expect((await getCategory(store, id)).productCount).toBe(1);
  expect(await listMembers(store, id)({ descending: false })).toHaveLength(1);
});
