import { expect, test } from 'vitest';
import { findResident } from '../../lib/avatars/residents.ts';
import { deleteCategory } from '../../lib/catalogue/categories.ts';
import { scopes } from '../../lib/routes/scopes.ts';
import { ada, bob, seedResidents } from '../support/residents.ts';
import { seedStore } from '../support/seeded-store.ts';
import { type Call, startTestService } from '../support/service.ts';
import { volume } from '../support/volume.ts';

/** Costs are counted in calls and capacity units, which do not depend on the machine. */

const service = await startTestService();
process.env.STORE_READ_UNITS = '2000';
await seedResidents();
for (const { uuid } of [ada, bob]) await findResident(service.store, { uuid });

const callIn = async ({ store }: { store: string }): Promise<Call> =>
  service.callAs(await service.keyWith(scopes, store));

/** Expects that each of these pages of 40 rows costs both stores the same, within 5 %. */
const expectSameCosts = async (paths: readonly string[], few: Call, many: Call): Promise<void> => {
  for (const path of paths) {
    const [ofFew, ofMany] = [await few('GET', path), await many('GET', path)];
    expect([ofFew.status, ofMany.status], path).toEqual([200, 200]);
    expect([ofFew.body.data.length, ofMany.body.data.length], path).toEqual([40, 40]);
    expect(ofMany.cost?.calls, path).toBe(ofFew.cost?.calls);
    expect(ofMany.cost?.steps, path).toBeLessThanOrEqual(2);
    expect(Math.abs((ofMany.cost?.units ?? 0) / (ofFew.cost?.units ?? 1) - 1), path).toBeLessThanOrEqual(0.05);
  }
};

const most = volume(2_500, 100_000);

test(`a page of a filtered list costs the same, within 5 %, in a store of 1000 rows and in one of ${most}`, async () => {
  const small = await seedStore(1_000, []);
  const large = await seedStore(most, ['products', 'coupons']);
  const [few, many] = [await callIn(small), await callIn(large)];
  const cards = `/v1/customers/${bob.uuid}/giftcards?limit=40`;
  const paths = [
    '/v1/products?limit=40',
    '/v1/products?limit=40&listed=true',
    '/v1/products?limit=40&listed=false',
    '/v1/products?limit=40&bloggable=true',
    '/v1/products?limit=40&listed=true&bloggable=false',
    `/v1/products?limit=40&category=${small.category}`,
    `/v1/products?limit=40&category=${small.category}&listed=true&bloggable=true`,
    `/v1/products?limit=40&category=${small.category}&listed=false`,
    '/v1/coupons?limit=40',
    '/v1/coupons?limit=40&active=true',
    '/v1/coupons?limit=40&active=false',
    `/v1/coupons/owner/${ada.uuid}?limit=40`,
    cards,
    `${cards}&active=true`,
    `${cards}&redeemed=true`,
    `${cards}&active=false&redeemed=true`,
    `${cards}&active=true&redeemed=false`,
  ];

  await expectSameCosts(paths, few, many);
  // No product of the category has these flags. It costs one unit for the category, and one for each place where a
  // membership might be.
  const none = `/v1/products?limit=1000&category=${small.category}&listed=false&bloggable=true`;
  for (const call of [few, many]) {
    const { body, cost } = await call('GET', none);
    expect([body.data, cost]).toEqual([[], { calls: 3, steps: 1, units: 3 }]);
  }
}, 300_000);

const moreOthers = volume(2_500, 5_000);

test(`a page of customers, of categories or of a search costs the same in a store of 1000 rows and in one of ${moreOthers}`, async () => {
  const few = await callIn(await seedStore(1_000, []));
  const many = await callIn(await seedStore(moreOthers, ['customers', 'categories', 'products', 'texts']));
  const paths = [
    '/v1/customers?limit=40',
    '/v1/customers?limit=40&newsSubscriber=true',
    '/v1/customers?limit=40&spentMoreThan=100',
    '/v1/customers?limit=40&spentMoreThan=100&newsSubscriber=true',
    '/v1/categories?limit=40',
    '/v1/products?limit=40&search=of+many',
  ];

  await expectSameCosts(paths, few, many);
}, 300_000);

test('a search reads at most 200 bytes per product', async () => {
  const count = volume(2_000, 10_000);
  const call = await callIn(await seedStore(count, ['products', 'texts']));

  const { body, cost } = await call('GET', '/v1/products?search=no+such+product');

  expect(body.data).toEqual([]);
  // An eventually consistent unit reads 8 KiB.
  expect(((cost?.units ?? 0) * 8192) / count).toBeLessThanOrEqual(200);
});

test('single rows cost one call: 1 unit to read, 1 per KiB and index to write', async () => {
  const product = (await service.call('POST', '/v1/products', { name: 'Chair', price: 1 })).body.id;
  const category = (await service.call('POST', '/v1/categories', { name: 'Chairs' })).body.id;

  const cost = async (...call: Parameters<Call>) => (await service.call(...call)).cost;

  const one = { calls: 1, steps: 1, units: 1 };
  expect(await cost('GET', `/v1/products/${product}`)).toEqual(one);
  expect(await cost('GET', `/v1/categories/${category}`)).toEqual(one);
  expect(await cost('PUT', `/v1/categories/${category}`, { name: 'Seats' })).toEqual(one);
  // No index holds the price.
  expect(await cost('PUT', `/v1/products/${product}`, { name: 'Chair', price: 2 })).toEqual(one);
  expect(await cost('GET', '/v1/categories')).toEqual(one);
  expect((await cost('POST', '/v1/categories', { name: 'Tables' }))?.calls).toBe(1);
  await deleteCategory(service.store, category);
});

test('a description of the character that normalises to eighteen costs no more to store than it looks', async () => {
  const body = { name: 'Chair', price: 1, description: '\ufdfa'.repeat(4096) };
  const bytes = Buffer.byteLength(body.description);

  const { status, cost } = await service.call('POST', '/v1/products', body);

  expect(status).toBe(201);
  // The product holds the description once unchanged and once as search text, and one index holds it too.
  expect(cost?.units).toBeLessThanOrEqual(Math.ceil((3 * bytes) / 1024) + 4);
});
