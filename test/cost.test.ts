import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test } from 'vitest';
import { nilUuid } from '../lib/identifier.ts';
import { createCategory, deleteCategory } from '../lib/store/categories.ts';
import { type ProductFields, productItem } from '../lib/store/products.ts';
import { createStore } from '../lib/store/stores.ts';
import { db, partition, tableName } from '../lib/store/table.ts';
import { type Call, startTestService } from './support/service.ts';

/** What a call costs is counted in calls and capacity units, which do not depend on the machine. */

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  service = await startTestService();
});

const fields = (i: number): ProductFields => ({
  name: `Product number ${i} of many`,
  price: i,
  image: nilUuid,
  // One in four is not listed, one in four bloggable.
  listed: i % 4 !== 0,
  bloggable: i % 4 === 1,
  permissions: { copy: true, modify: false, transfer: false },
  discount: { value: 0, type: 0, startDate: null, endDate: null },
  availableAmount: 0,
  limited: false,
  item: `item ${i}`,
  blockCredits: false,
  description: i % 2 ? 'A description of some words.' : '',
  profitShares: [],
  demoId: null,
  active: i % 10 !== 9,
});

/** An id in creation order, as those of a real store are. */
const idOf = (i: number): string => `01900000-0000-7000-8000-${String(i).padStart(12, '0')}`;

/** A store with so many products, every other one in a category. */
const storeWith = async (count: number): Promise<{ call: Call; category: string }> => {
  const { id: store } = await createStore(`${count} products`);
  const { id: category } = await createCategory(store, { name: 'Every other' });
  const items = Array.from({ length: count }, (_, i) => [
    { ...productItem(store, fields(i), { id: idOf(i) }) },
    ...(i % 2 ? [{ pk: partition(store, 'MEMBER', category), sk: idOf(i) }] : []),
  ]).flat();
  const chunks = Array.from({ length: Math.ceil(items.length / 25) }, (_, i) => items.slice(i * 25, i * 25 + 25));
  const write = async (): Promise<void> => {
    for (let chunk = chunks.pop(); chunk; chunk = chunks.pop())
      await db.send(
        new BatchWriteCommand({ RequestItems: { [tableName()]: chunk.map((Item) => ({ PutRequest: { Item } })) } }),
      );
  };
  await Promise.all(Array.from({ length: 8 }, write));
  const key = await service.keyWith(['products:read', 'categories:read'], store);
  return { call: service.callAs(key), category };
};

test('pages cost the same at 1,000 and at 100,000 products; a search reads at most 200 bytes per product', async () => {
  const [small, middle, large] = [await storeWith(1000), await storeWith(10_000), await storeWith(100_000)];
  const filters = ({ category }: { category: string }) => [
    '',
    '&listed=true',
    '&listed=false',
    '&bloggable=true',
    '&listed=true&bloggable=false',
    `&category=${category}`,
    `&category=${category}&listed=true&bloggable=true`,
  ];
  const costs = async (store: { call: Call; category: string }) => {
    const units: number[] = [];
    for (const filter of filters(store)) {
      const { body, cost } = await store.call('GET', `/v1/products?limit=50${filter}`);
      expect(body.data).toHaveLength(50);
      units.push(cost?.units ?? 0);
    }
    return units;
  };

  const [few, many] = [await costs(small), await costs(large)];
  const { body, cost } = await middle.call('GET', '/v1/products?search=no+such+product');

  for (const [index, units] of many.entries())
    expect(Math.abs(units / (few[index] ?? 0) - 1), `filter ${index}: ${few[index]}, ${units}`).toBeLessThanOrEqual(
      0.05,
    );
  expect(body.data).toEqual([]);
  // An eventually consistent unit reads 8 KiB.
  expect(((cost?.units ?? 0) * 8192) / 10_000).toBeLessThanOrEqual(200);
}, 300_000);

test('single rows cost one call: 1 unit to read, 1 per KiB and index to write', async () => {
  const product = (await service.call('POST', '/v1/products', { name: 'Chair', price: 1 })).body.id;
  const category = (await service.call('POST', '/v1/categories', { name: 'Chairs' })).body.id;

  const cost = async (...call: Parameters<Call>) => (await service.call(...call)).cost;

  const one = { calls: 1, steps: 1, units: 1 };
  expect(await cost('GET', `/v1/products/${product}`)).toEqual(one);
  expect(await cost('GET', `/v1/categories/${category}`)).toEqual(one);
  expect(await cost('PUT', `/v1/categories/${category}`, { name: 'Seats' })).toEqual(one);
  // The indexes hold nothing of the price.
  expect(await cost('PUT', `/v1/products/${product}`, { name: 'Chair', price: 2 })).toEqual(one);
  expect(await cost('GET', '/v1/categories')).toEqual(one);
  expect((await cost('POST', '/v1/categories', { name: 'Tables' }))?.calls).toBe(1);
  await deleteCategory(service.store, category);
});
