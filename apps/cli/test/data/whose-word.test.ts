import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { banCustomer, getCustomer } from '../../../../lib/avatars/customers.ts';
import type { Resident } from '../../../../lib/avatars/residents.ts';
import {
  type AppliedCoupon,
  applyCoupon,
  findApplication,
  revokeCoupon,
} from '../../../../lib/catalogue/applied-coupons.ts';
import { createCoupon, getCoupon, limitCoupon } from '../../../../lib/catalogue/coupons.ts';
import { createProduct, getProduct, updateProduct } from '../../../../lib/catalogue/products.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { exists, put } from '../../../../lib/table/language.ts';
import { transact } from '../../../../lib/table/table.ts';
import { buy } from '../../../../test/lib/sale/sales.ts';
import { tempDir } from '../../../../test/support/files.ts';
import { catchUp, keepHistory } from '../../../../test/support/history.ts';
import { newResident } from '../../../../test/support/residents.ts';
import { productWith } from '../../../../test/support/rows.ts';
import { doAt } from '../../../../test/support/service.ts';
import { startForCli } from '../support/cli.ts';

/** A file from before the store's latest changes: see docs/adr/0062-whose-word-counts.md. */

const dir = tempDir();
const coupon = { code: 'HALF', discount: 50, ownerProfit: 0, active: true, bloggersSync: false };
const at = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

let service: Awaited<ReturnType<typeof startForCli>>;
let store: string;
let owner: Resident;

beforeAll(async () => {
  service = await startForCli({ demo: false });
  await keepHistory();
});
beforeEach(async () => {
  store = (await createStore('Words')).id;
  owner = await newResident();
});

const run = (...args: string[]) => service.run(...args, '--store', store);

const fileOf = (kind: string): string => join(dir, `${kind}.csv`);

const exportOf = async (kind: string): Promise<void> => {
  expect((await run('export', kind, fileOf(kind), '--force')).code).toBe(0);
};

const importOf = (kind: string, ...options: string[]) => run('import', kind, fileOf(kind), ...options);

test('an older file of applied coupons brings back none that another, or nobody, has taken the place of', async () => {
  const { id } = await createCoupon(store, owner, coupon);
  const other = await createCoupon(store, owner, { ...coupon, code: 'OTHER' });
  await applyCoupon(store, { uuid: owner.uuid }, { couponId: id, expiresInHours: 24 });
  await exportOf('applied');
  await applyCoupon(store, { uuid: owner.uuid }, { couponId: other.id, expiresInHours: 1 });

  const afterOther = await importOf('applied');
  const kept = await findApplication(store, owner.uuid, undefined);
  await revokeCoupon(store, { uuid: owner.uuid }, { couponId: other.id });
  const afterRevoke = await importOf('applied');

  expect([afterOther.code, afterOther.stdout]).toEqual([0, expect.stringMatching(/\b1\s+0\s+0\s+1\s+0\b/)]);
  expect(kept?.couponId).toBe(other.id);
  expect(afterRevoke.stdout).toMatch(/\b1\s+0\s+0\s+1\s+0\b/);
  expect((await findApplication(store, owner.uuid, undefined))?.expiresAt).toBe('');
});

test('the audit names a coupon that was set back over another', async () => {
  const { id } = await createCoupon(store, owner, coupon);
  const other = await createCoupon(store, owner, { ...coupon, code: 'OTHER' });
  const apply = (couponId: string) => applyCoupon(store, { uuid: owner.uuid }, { couponId, expiresInHours: 24 });
  await apply(id);
  const before = await findApplication(store, owner.uuid, undefined);
  await catchUp();
  await apply(other.id);
  await catchUp();
  const clean = await run('audit');
  const now = await findApplication(store, owner.uuid, undefined);
  await transact([put(before as AppliedCoupon, exists, now)]);
  await catchUp();

  // The list of events shows events that are older than ten seconds.
  const found = await doAt(at(1), () => run('audit'));

  expect(clean.code).toBe(0);
  expect([found.code, found.stdout]).toEqual([
    1,
    expect.stringMatching(`customer ${owner.uuid}: the coupon HALF was set back over another that was applied since`),
  ]);
});

test('a file prolongs the same coupon, and applies one where the other has lapsed', async () => {
  const { id } = await createCoupon(store, owner, coupon);
  await applyCoupon(store, { uuid: owner.uuid }, { couponId: id, expiresInHours: 1 });
  const [longer, longest] = [at(24), at(48)];
  const apply = (expiresAt: string) => {
    writeFileSync(fileOf('applied'), `resident,coupon,expiresAt\n${owner.uuid},${id},${expiresAt}\n`);
    return importOf('applied');
  };

  for (const expiresAt of [longest, longer]) expect((await apply(expiresAt)).code).toBe(0);

  expect((await findApplication(store, owner.uuid, undefined))?.expiresAt).toBe(longest);
});

test('a file of customers lifts a ban, and its plan says so first', async () => {
  const customers = [owner, await newResident(), await newResident()];
  writeFileSync(fileOf('customers'), `resident,discount\n${customers.map(({ uuid }) => `${uuid},1`).join('\n')}\n`);
  expect((await importOf('customers')).code).toBe(0);
  await exportOf('customers');
  for (const customer of customers) await banCustomer(store, { uuid: customer.uuid }, 'theft');

  const plan = await importOf('customers', '--dry-run');
  const planned = await getCustomer(store, { uuid: owner.uuid });
  const done = await importOf('customers');

  expect(plan.stderr).toMatch(/lifts 3 bans\./);
  expect([planned.isBanned, done.code, (await getCustomer(store, { uuid: owner.uuid })).isBanned]).toEqual([
    true,
    0,
    false,
  ]);
  expect(done.stderr).toMatch(/lifts 3 bans\./);
});

test('the plan of a file tells of the prices and limits that it changes back', async () => {
  const { id } = await createCoupon(store, owner, coupon);
  const product = await createProduct(store, productWith({ price: 100 }));
  for (const kind of ['coupons', 'products']) await exportOf(kind);
  await limitCoupon(store, id, { expiration: at(1), usesPerCustomer: 1 });
  await updateProduct(store, product.id, productWith({ price: 777, active: false }));

  const plans = [await importOf('coupons', '--dry-run'), await importOf('products', '--dry-run')];
  for (const kind of ['coupons', 'products']) expect((await importOf(kind)).code).toBe(0);

  expect(plans[0]?.stderr).toMatch(/allows more uses of 1 coupon than this store does, prolongs 1 coupon\./);
  expect(plans[1]?.stderr).toMatch(/sells 1 product again that is inactive here, changes 1 price\./);
  expect(await getCoupon(store, id)).toMatchObject({ usesPerCustomer: 0 });
  expect(await getProduct(store, product.id)).toMatchObject({ price: 100, active: true });
});

test('a file leaves the copies of a limited product, lists the difference, and sets them with --set-stock', async () => {
  const { id } = await createProduct(store, productWith({ price: 10, limited: true, availableAmount: 20 }));
  await exportOf('products');
  writeFileSync(fileOf('products'), readFileSync(fileOf('products'), 'utf8').replace(',10,', ',12,'));
  await buy(store, { productId: id, buyer: owner.uuid, paid: 10 });
  const copies = async () => (await getProduct(store, id)).availableAmount;

  const left = await importOf('products');
  const found = [await copies()];
  const set = await importOf('products', '--set-stock');
  found.push(await copies());

  expect([left.code, left.stdout]).toEqual([1, expect.stringMatching(/\b1\s+0\s+1\s+0\s+0\b/)]);
  expect(left.stderr).toMatch(/line 2: availableAmount 20 stays 19 here: .*--set-stock/);
  expect([set.code, set.stderr, found]).toEqual([0, expect.not.stringMatching(/line 2/), [19, 20]]);
  expect((await getProduct(store, id)).price).toBe(12);
});
