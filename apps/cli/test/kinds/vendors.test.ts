import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createProduct } from '../../../../lib/catalogue/products.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { createProduct as row } from '../../../../lib/routes/products.ts';
import { vendorCountKey, vendorKey } from '../../../../lib/table/keys.ts';
import { update } from '../../../../lib/table/language.ts';
import { write } from '../../../../lib/table/table.ts';
import { registerVendor } from '../../../../lib/vendor/register.ts';
import { deleteVendor } from '../../../../lib/vendor/vendors.ts';
import { freshTable } from '../../../../test/support/service.ts';
import { checkVendors } from '../../kinds/vendors.ts';

await freshTable();

/** A store with a product and two vendors. The first vendor sells the product. */
const aStore = async () => {
  const { id: store } = await createStore(`Vendors ${randomUUID()}`);
  const product = await createProduct(store, { ...row.body.parse({ name: 'Chair', price: 5 }), profitShares: [] });
  const uuids = [randomUUID(), randomUUID()].sort() as [string, string];
  const told = { name: 'Vendor', region: 'Here', picked: false };
  for (const [index, uuid] of uuids.entries())
    await registerVendor(store, uuid, { ...told, ...(index === 0 && { productId: product.id }) });
  return { store, uuids };
};

const faultsOf = async (store: string): Promise<string[]> => {
  const faults: string[] = [];
  await checkVendors(store, { onFault: (fault) => faults.push(fault), onChecked: () => {} });
  return faults;
};

test('an audit tells of a vendor in the wrong list, and of a number that is none', async () => {
  const { store, uuids } = await aStore();
  const spare = randomUUID();
  await registerVendor(store, spare, { name: 'Spare', region: 'Here', picked: false });
  await deleteVendor(store, spare);
  const healthy = await faultsOf(store);
  await write(update(vendorKey(store, uuids[0]), { set: { flags: 'elsewhere' } }));
  await write(update(vendorCountKey(store), { add: { count: 1 } }));

  expect(healthy).toEqual([]);
  expect(await faultsOf(store)).toEqual([
    expect.stringContaining(`vendor ${uuids[0]}: is listed at elsewhere, not ${store}#VENDOR#`),
    'vendors: 3 are counted, but there are 2.',
  ]);
});
