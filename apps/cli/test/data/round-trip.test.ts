import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { banCustomer, unbanCustomer, updateCustomer } from '../../../../lib/avatars/customers.ts';
import { forgetResidents } from '../../../../lib/avatars/residents.ts';
import { recordPurchase } from '../../../../lib/avatars/spend.ts';
import { applyCoupon } from '../../../../lib/catalogue/applied-coupons.ts';
import { createCategory } from '../../../../lib/catalogue/categories.ts';
import { createCoupon } from '../../../../lib/catalogue/coupons.ts';
import { putGiftCard } from '../../../../lib/catalogue/gift-cards.ts';
import { addMember } from '../../../../lib/catalogue/memberships.ts';
import { createProduct } from '../../../../lib/catalogue/products.ts';
import { newId, source } from '../../../../lib/clock.ts';
import { changeCredit } from '../../../../lib/credit/change.ts';
import { counting, newWebhook } from '../../../../lib/events/webhooks.ts';
import { auditTable } from '../../../../lib/operator/audit-credit.ts';
import { putResident } from '../../../../lib/operator/residents.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { sell } from '../../../../lib/sale/sell.ts';
import { followRename } from '../../../../lib/store/renames.ts';
import { updateRules } from '../../../../lib/store/rules.ts';
import { residentKey } from '../../../../lib/table/keys.ts';
import { isNew, put } from '../../../../lib/table/language.ts';
import { transact } from '../../../../lib/table/table.ts';
import { filesOf, tempDir } from '../../../../test/support/files.ts';
import { ada, bob, cleo as originalCleo, seedResidents, unknownUuid } from '../../../../test/support/residents.ts';
import { productWith } from '../../../../test/support/rows.ts';
import { freshTable, setClock, wholeTable } from '../../../../test/support/service.ts';
import { exportAll } from '../../data/export.ts';
import { formats } from '../../data/format.ts';
import { importFiles } from '../../kinds/kinds.ts';
import { importAll } from '../support/import-files.ts';

const cleo = { ...originalCleo, username: 'cleopatra' };

const start = Date.parse('2026-03-01T12:00:00Z');
const day = 86_400_000;
const inDays = (days: number): string => new Date(start + days * day).toISOString();

const dir = tempDir();

/** Credit with lots that are open, drained in part and in full, expired and superseded, and one that awaits a sweep. */
const seedCredit = async (): Promise<void> => {
  const give = (
    resident: { uuid: string },
    delta: number,
    expiresAt?: string,
    type: 'regular' | 'restricted' = 'regular',
  ) =>
    changeCredit(
      store,
      { uuid: resident.uuid },
      type,
      { kind: 'increment', delta, expiresAt },
      { by: `give-${delta}` },
    );
  await give(ada, 70, inDays(3));
  await give(ada, 40, inDays(2));
  await changeCredit(
    store,
    { uuid: ada.uuid },
    'regular',
    { kind: 'set', credit: 500, expiresAt: inDays(9) },
    { by: 'set-500' },
  );
  await give(ada, 30, inDays(4));
  await give(ada, 20, inDays(4));
  await give(ada, 25, inDays(8));
  await give(ada, 1000);
  await give(ada, -40);
  await give(ada, 80, inDays(30), 'restricted');
  await give(bob, 11, inDays(1));
  await give(bob, 12, inDays(2));
  await give(cleo, 5, inDays(1), 'restricted');
  setClock(start + 1.5 * day);
  await give(bob, 13, inDays(40));
};

const seedStore = async (): Promise<void> => {
  const odd = [
    '=SUM(A1:A9)',
    "'=1+1",
    "'plain",
    '+44',
    '-5 percent',
    '@here',
    '＝1+1',
    '＋44',
    '－1',
    '＠here',
    "'＝1",
    'a,b;"c"',
    'line\none\r\ntwo\rthree',
    'Été 🎁 ‮x',
  ];
  const made: { id: string }[] = [];
  for (const [index, description] of odd.entries())
    made.push(
      await createProduct(store, productWith({ name: `Product ${index}`, item: 'Thing', description, price: index })),
    );
  const [first, second] = made as [{ id: string }, { id: string }];
  await createProduct(
    store,
    productWith({
      name: '=cmd',
      item: 'Lamp',
      listed: false,
      bloggable: true,
      active: false,
      limited: true,
      availableAmount: 7,
      blockCredits: true,
      permissions: { copy: false, modify: true, transfer: true },
      discount: { value: 12.5, type: 0, startDate: inDays(-1), endDate: inDays(1) },
      profitShares: [
        { userUuid: bob.uuid, percent: 33.3 },
        { userUuid: ada.uuid, percent: 66.7 },
      ],
      demoId: first.id,
    }),
    { mpListing: 77 },
  );
  for (const name of ['Same name', 'Same name', 'Empty']) {
    const category = await createCategory(store, { name });
    if (name !== 'Empty') await addMember(store, category.id, first.id);
  }
  const listed = await createCategory(store, { name: '-minus' });
  await addMember(store, listed.id, second.id);
  const coupon = { discount: 12.5, ownerProfit: 0.5, active: true, bloggersSync: true };
  await createCoupon(store, ada, { ...coupon, code: 'WELCOME' });
  await createCoupon(
    store,
    bob,
    { ...coupon, code: '+20', active: false },
    { usesPerCustomer: 3, expiration: inDays(5) },
  );
  const card = { credit: 10, texture: null, transfer: false, active: true };
  await putGiftCard(store, cleo, card);
  await putGiftCard(store, cleo, { ...card, active: false, texture: ada.uuid }, { redeemed: true, purchased: true });
  await updateCustomer(store, { uuid: ada.uuid }, { discount: 15, newsSubscriber: true });
  await banCustomer(store, { uuid: bob.uuid }, '=Rude\nand "loud"');
  await banCustomer(store, { uuid: cleo.uuid }, 'By mistake');
  await unbanCustomer(store, { uuid: cleo.uuid });
  for (const [index, days] of [0, 1, 400, 40].entries())
    await recordPurchase(store, {
      id: `sale ${index}`,
      buyer: ada,
      productId: (index % 2 ? second : first).id,
      price: 10 * index,
      at: inDays(-days),
    });
};

/**
 * Sales of every state: with credit from lots, a coupon and shares, as a gift, and to an avatar whom nobody can name.
 */
const seedSales = async (): Promise<void> => {
  const profitShares = [
    { userUuid: bob.uuid, percent: 33.3 },
    { userUuid: cleo.uuid, percent: 0.0000005 },
  ];
  const { id: productId } = await createProduct(store, productWith({ profitShares }));
  const buy = (id: number, buyer: { uuid: string }, fields: object = {}) => {
    const parties = { productId, buyerIdentifier: { uuid: buyer.uuid }, useCredit: false };
    const request = { id: `0000000${id}-5a1e-4000-8000-000000000000`, ...parties, paid: 100, message: '' };
    return sell(store, { ...request, ...fields }, { by: 'test' });
  };
  await buy(1, ada, { useCredit: true, paid: 7, reference: '=T;1' });
  const coupon = { discount: 10.5, ownerProfit: 5, active: true, bloggersSync: false };
  const { id: couponId } = await createCoupon(store, bob, { ...coupon, code: 'TILL' }, { usesPerCustomer: 2 });
  await applyCoupon(store, { uuid: ada.uuid }, { couponId, expiresInHours: 24 });
  await buy(2, ada, { recipientIdentifier: { uuid: cleo.uuid } });
  await buy(3, { uuid: unknownUuid });
  await buy(4, ada, { paid: 1 });
  await applyCoupon(store, { uuid: cleo.uuid }, { couponId, expiresInHours: 168 });
  await applyCoupon(store, { uuid: cleo.uuid }, { couponId, productId, expiresInHours: 168 });
  await buy(5, ada, { buyerIdentifier: { username: 'nobody.here' }, paid: 3 });
};

/** Rules, and webhooks that are switched off, as an import leaves them. */
const seedSettings = async (): Promise<void> => {
  const bonus = { percent: 2.5, groupPercent: 0, type: 'regular' as const, expiresInDays: null };
  await updateRules(store, { groupDiscount: 5, tiers: [{ from: 1000, percent: 0.0001 }], bonus });
  for (const [index, format] of (['standard', 'discord'] as const).entries()) {
    const fields = { url: `https://example.com/${index}`, events: ['sale.completed', 'sale.refunded'] as const };
    const item = newWebhook(
      store,
      newId(),
      { ...fields, events: [...fields.events], description: '=x', format },
      'disabled',
    );
    await transact([put(item, isNew), await counting(store, item.id)]);
  }
};

await freshTable();
setClock(start);
await seedResidents();
await putResident(cleo, ['cleo.old']);
await followRename(residentKey(cleo.uuid));
forgetResidents();
const store = (await createStore('First')).id;
await seedStore();
await seedCredit();
await seedSales();
await seedSettings();
await exportAll(store, join(dir, 'first'));
const files = filesOf(join(dir, 'first'));

beforeEach(() => forgetResidents());

describe.each(formats)('a store exported as %s', (format) => {
  test('is the same byte for byte after an import into an empty deployment, including open lots', async () => {
    const from = join(dir, `from-${format}`);
    const table = process.env.TABLE_NAME;
    await exportAll(store, from, format);
    await freshTable();
    const { id } = await createStore('Second');

    const reports = await importAll(id, from, format);
    await exportAll(id, join(dir, `to-${format}`));

    expect(filesOf(join(dir, `to-${format}`))).toEqual(files);
    expect(auditTable(await wholeTable())).toEqual([]);
    expect(reports.filter(({ imported, rejected }) => !imported || rejected > 0)).toEqual([]);
    process.env.TABLE_NAME = table;
  });
});

test('an export changes nothing if it is imported into its own store, or twice', async () => {
  const before = await wholeTable();

  const reports = await importAll(store, join(dir, 'first'));

  expect(reports).toMatchObject(importFiles.map(() => ({ created: 0, changed: 0, rejected: 0 })));
  expect(await wholeTable()).toEqual(before);
});

test('an export holds each kind in a fixed order and escapes formulas', () => {
  const products = readFileSync(join(dir, 'first', 'products.csv'), 'utf8');

  expect(Object.keys(files)).toHaveLength(19);
  expect(products).toContain("'=SUM(A1:A9)");
  expect(products).toContain("''=1+1");
  for (const text of ["'＝1+1", "'＋44", "'－1", "'＠here", "''＝1"]) expect(products).toContain(text);
  expect(products).not.toMatch(/(^|,|")[=@＝＋－＠]/m);
  expect(source.now()).toBe(start + 1.5 * day);
});
