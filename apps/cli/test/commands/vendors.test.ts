import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { createStore } from '../../../../lib/operator/stores.ts';
import { createProduct as row } from '../../../../lib/routes/products.ts';
import { createProduct } from '../../../../lib/store/products.ts';
import { update } from '../../../../lib/table/language.ts';
import { write } from '../../../../lib/table/table.ts';
import { registerVendor } from '../../../../lib/vendor/register.ts';
import { findVendor, vendorCountKey, vendorKey } from '../../../../lib/vendor/vendors.ts';
import { checkVendors } from '../../kinds/vendors.ts';
import { startForCli } from '../support/cli.ts';

let service: Awaited<ReturnType<typeof startForCli>>;
beforeAll(async () => {
  service = await startForCli({ demo: false });
});

/** A store with a product and two vendors, of which the first sells it. */
const aStore = async () => {
  const { id: store } = await createStore(`Vendors ${randomUUID()}`);
  const product = await createProduct(store, { ...row.body.parse({ name: 'Chair', price: 5 }), profitShares: [] });
  const uuids = [randomUUID(), randomUUID()].sort() as [string, string];
  const told = { name: 'Vendor', region: 'Here', picked: false };
  for (const [index, uuid] of uuids.entries())
    await registerVendor(store, uuid, { ...told, ...(index === 0 && { productId: product.id }) });
  const run = (...args: string[]) => service.run(...args, '--store', store);
  return { store, product, uuids, run };
};

const faultsOf = async (store: string): Promise<string[]> => {
  const faults: string[] = [];
  await checkVendors(store, { onFault: (fault) => faults.push(fault), onChecked: () => {} });
  return faults;
};

test('lists vendors, shows one, sets its product and forgets it, with a row in the log for what it changes', async () => {
  const { store, product, uuids, run } = await aStore();
  const [first, second] = uuids;
  const ids = async (...args: string[]) =>
    (await run('vendors', 'list', ...args, '--json')).rows.map(({ uuid }) => uuid);

  expect(await ids()).toEqual(uuids);
  expect(await ids('--product', product.id)).toEqual([first]);
  expect(await ids('--state', 'lost')).toEqual([]);
  const set = await run('vendors', 'set-product', second, product.id, '--json');
  const unset = await run('vendors', 'set-product', first, 'none', '--json');
  const unknown = await run('vendors', 'set-product', first, randomUUID());
  const removed = await run('vendors', 'remove', first);
  const again = await run('vendors', 'remove', first);

  expect(set.rows).toMatchObject([{ uuid: second, product: { id: product.id } }]);
  expect(unset.rows).toMatchObject([{ uuid: first, product: null }]);
  expect([unknown.code, removed.code, again.code]).toEqual([1, 0, 1]);
  expect(await findVendor(store, first)).toBeUndefined();
  const log = (await run('log', '--json')).rows.map(({ action, details }) => [action, details]);
  expect(log).toEqual([
    ['vendor.removed', { vendor: first, name: 'Vendor', region: 'Here' }],
    ['vendor.product_set', { vendor: first, productId: null }],
    ['vendor.product_set', { vendor: second, productId: product.id }],
  ]);
  expect(await faultsOf(store)).toEqual([]);
});

test('an audit tells of a vendor in the wrong list, and of a number that is none', async () => {
  const { store, uuids } = await aStore();
  await write(update(vendorKey(store, uuids[0]), { set: { flags: 'elsewhere' } }));
  await write(update(vendorCountKey(store), { add: { count: 1 } }));

  expect(await faultsOf(store)).toEqual([
    expect.stringContaining(`vendor ${uuids[0]}: is listed at elsewhere, not ${store}#VENDOR#`),
    'vendors: 3 are counted, but there are 2.',
  ]);
});
