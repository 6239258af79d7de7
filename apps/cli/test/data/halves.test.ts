import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { findCustomerItem, updateCustomer } from '../../../../lib/avatars/customers.ts';
import { findResident, forgetResidents } from '../../../../lib/avatars/residents.ts';
import { recordPurchase } from '../../../../lib/avatars/spend.ts';
import { createCategory, deleteCategory, listCategories } from '../../../../lib/catalogue/categories.ts';
import { createCoupon, findCodeHolder } from '../../../../lib/catalogue/coupons.ts';
import { giftCardItem, grantGiftCard } from '../../../../lib/catalogue/gift-cards.ts';
import { addMember } from '../../../../lib/catalogue/memberships.ts';
import { createProduct } from '../../../../lib/catalogue/products.ts';
import { codeKey, customerKey, nameKey, residentKey } from '../../../../lib/table/keys.ts';
import { put, remove, update } from '../../../../lib/table/language.ts';
import { write } from '../../../../lib/table/table.ts';
import { freshStore, tempDir } from '../../../../test/support/files.ts';
import { ada, bob, unknownUuid } from '../../../../test/support/residents.ts';
import { productWith } from '../../../../test/support/rows.ts';
import { wholeTable } from '../../../../test/support/service.ts';
import { exportAll } from '../../data/export.ts';
import { importFile } from '../../data/import.ts';
import type { Check } from '../../kinds/audit.ts';
import { checkCategories } from '../../kinds/categories.ts';
import { checkCodes, checkCoupons } from '../../kinds/coupons.ts';
import { checkStrays } from '../../kinds/customers.ts';
import { checkGiftCards } from '../../kinds/gift-cards.ts';
import { importText } from '../support/import-files.ts';
import { kindOf } from '../support/kinds.ts';

/** A restored table may hold half of a transaction. Each test follows the runbook in docs/operate/recover.md. */

const dir = tempDir();
const coupon = { code: 'Ten', discount: 10, ownerProfit: 0, active: true, bloggersSync: false };
let store: string;

beforeEach(async () => {
  store = await freshStore();
  forgetResidents();
});

const checks: Check[] = [checkCoupons, checkCodes, checkCategories, checkGiftCards, checkStrays];

const audit = async (): Promise<string[]> => {
  const faults: string[] = [];
  for (const check of checks) await check(store, { onFault: (fault) => faults.push(fault), onChecked: () => {} });
  return faults;
};

/** Exports the store, and imports the files of these kinds into it. */
const importOwn = async (...kinds: string[]): Promise<unknown[]> => {
  const to = join(dir, `export-${store}`);
  await exportAll(store, to);
  const reports: unknown[] = [];
  for (const kind of kinds) reports.push(await importFile(kindOf(kind), store, join(to, `${kind}.csv`)));
  return reports;
};

test('a coupon without its code gets it back if its export is imported, and another import changes nothing', async () => {
  const { id } = await createCoupon(store, ada, coupon);
  await write(remove(codeKey(store, 'ten')));
  const broken = await audit();

  const [first] = await importOwn('coupons');
  const mended = await wholeTable();
  const again = await importFile(kindOf('coupons'), store, join(dir, `export-${store}`, 'coupons.csv'));

  expect(broken).toEqual([`coupon ${id}: its code Ten belongs to no coupon.`]);
  expect(first).toMatchObject({ changed: 1, unchanged: 0 });
  expect(await findCodeHolder(store, 'ten')).toBe(id);
  expect(again).toMatchObject({ changed: 0, unchanged: 1 });
  expect(await wholeTable()).toEqual(mended);
  expect(await audit()).toEqual([]);
});

test.each([
  ['without an id', 'code,owner\nTEN,bob\n'],
  ['with an id of its own', 'id,code,owner\n1042,TEN,bob\n'],
])('a code that no coupon has is given to an imported coupon %s', async (_, text) => {
  const lost = '01900000-0000-7000-8000-000000000000';
  await write(put({ ...codeKey(store, 'ten'), id: lost }));
  const broken = await audit();

  const report = await importText(store, dir, 'coupons.csv', text);

  expect(broken).toEqual([`code ten: it is held by the coupon ${lost}, which does not have it.`]);
  expect(report).toMatchObject({ created: 1 });
  expect(await audit()).toEqual([]);
});

test('a code that another coupon has stays with it', async () => {
  const { id } = await createCoupon(store, ada, coupon);

  const report = await importText(store, dir, 'coupons.csv', 'id,code,owner\n1042,TEN,bob\n');

  expect(report.faults).toMatchObject([{ field: 'code', reason: expect.stringContaining(id) }]);
  expect(await findCodeHolder(store, 'ten')).toBe(id);
});

test('a name that leads nowhere leads to its resident again if an export of the residents is imported', async () => {
  await updateCustomer(store, { uuid: ada.uuid }, { discount: 5 });
  await write(remove(nameKey(ada.username)));
  forgetResidents();
  expect(await findResident(store, { username: ada.username })).toBeUndefined();

  await importOwn('residents');

  forgetResidents();
  expect(await findResident(store, { username: ada.username })).toEqual(ada);
});

test('a wrong number of products is right after the category is deleted and imported with its products', async () => {
  const { id } = await createCategory(store, { name: 'Chairs' });
  const product = await createProduct(store, productWith());
  await addMember(store, id, product.id);
  await write(update({ pk: `${store}#CATEGORY`, sk: id }, { set: { productCount: 7 } }));
  const broken = await audit();

  await exportAll(store, join(dir, `export-${store}`));
  await deleteCategory(store, id);
  for (const kind of ['categories', 'products'])
    await importFile(kindOf(kind), store, join(dir, `export-${store}`, `${kind}.csv`));

  expect(broken).toEqual([`category ${id} (Chairs): counts 7 products, 1 are in it.`]);
  expect(await listCategories(store)({ descending: false })).toMatchObject([{ id, name: 'Chairs', productCount: 1 }]);
  expect(await audit()).toEqual([]);
});

test('a resident who has things and is no customer becomes one by an import of customers', async () => {
  const { id } = await createProduct(store, productWith());
  await recordPurchase(store, { id: 'sale', buyer: ada, productId: id, price: 5, at: '2026-01-01T00:00:00.000Z' });
  await grantGiftCard(store, { uuid: bob.uuid }, { credit: 5, texture: null, transfer: false });
  for (const { uuid } of [ada, bob]) await write(remove(customerKey(store, uuid)));
  const broken = await audit();

  await importText(store, dir, 'customers.csv', `resident\n${ada.uuid}\n${bob.uuid}\n`);

  expect(broken).toEqual([`customer ${ada.uuid}: there are items of the kind OWNED, but no customer.`]);
  expect(await findCustomerItem(store, bob.uuid)).toMatchObject({ username: 'bob' });
  expect(await audit()).toEqual([]);
});

test('a gift card that was sold to a customer whom nobody can name has an owner', async () => {
  const stranger = { uuid: unknownUuid, username: unknownUuid };
  const { id } = await createProduct(store, productWith());
  const fields = { credit: 5, texture: null, transfer: false, active: true };
  await write(put(giftCardItem(store, stranger, fields)));
  const ownerless = await audit();

  await recordPurchase(store, { id: 'sale', buyer: stranger, productId: id, price: 5, at: '2026-01-01T00:00:00.000Z' });

  expect(ownerless).toEqual([expect.stringContaining(`its owner ${unknownUuid} is no resident`)]);
  expect(await audit()).toEqual([]);
});

test('a gift card whose owner nobody knows is mended by an import of the resident', async () => {
  await write(put(giftCardItem(store, ada, { credit: 5, texture: null, transfer: false, active: true })));
  await write(remove(residentKey(ada.uuid)));
  forgetResidents();
  expect(await audit()).toEqual([expect.stringContaining(`its owner ${ada.uuid} is no resident`)]);

  forgetResidents();
  await importText(store, dir, 'residents.csv', `uuid,username\n${ada.uuid},${ada.username}\n`);

  expect(await audit()).toEqual([]);
});
