import { beforeAll, expect, test } from 'vitest';
import { createProduct } from '../../../lib/store/products.ts';
import { productWith, unknownId } from '../../support/rows.ts';
import { startTestService, wholeTable } from '../../support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  service = await startTestService();
});

const make = (fields = {}, store = service.store) => createProduct(store, productWith(fields), { mpListing: 7 });

test('200s and sets what is left out to its default; mpListing stays', async () => {
  const { id } = await make({
    bloggable: true,
    description: 'Old',
    price: 5,
    discount: { value: 5, type: 1, startDate: null, endDate: null },
  });

  const { status, body } = await service.call('PUT', `/v1/products/${id}`, { name: 'New', price: 9 });

  expect(status).toBe(200);
  expect(body).toMatchObject({ id, name: 'New', item: 'New', price: 9, activePrice: 9, bloggable: false });
  expect(body).toMatchObject({ description: '', discount: { value: 0, type: 0 }, mpListing: 7 });
  expect((await service.call('GET', `/v1/products/${id}`)).body).toEqual(body);
});

test('an inactive product leaves every list, and comes back when it is active again', async () => {
  const { id } = await make({ name: 'Comes and goes' });
  const shown = async (query: string) =>
    (await service.call('GET', `/v1/products?${query}`)).body.data.some((row: { id: string }) => row.id === id);

  await service.call('PUT', `/v1/products/${id}`, { name: 'Comes and goes', price: 1, active: false });
  expect(await Promise.all([shown(''), shown('search=comes'), shown('listed=true')])).toEqual([false, false, false]);
  expect((await service.call('GET', `/v1/products/${id}`)).body.active).toBe(false);

  await service.call('PUT', `/v1/products/${id}`, { name: 'Comes and goes', price: 1, listed: false });
  expect(await Promise.all([shown(''), shown('search=comes'), shown('listed=true')])).toEqual([true, true, false]);
});

test.each<[string, number]>([
  [unknownId, 404],
  ['not-a-uuid', 400],
])('for the id %s answers %d and writes nothing', async (id, expected) => {
  const before = await wholeTable();

  const { status } = await service.call('PUT', `/v1/products/${id}`, { name: 'New', price: 9 });

  expect(status).toBe(expected);
  expect(await wholeTable()).toEqual(before);
});

test('404s for a product of another store and leaves it as it is', async () => {
  const { id } = await make({}, service.otherStore);
  const before = await wholeTable();

  const { status } = await service.call('PUT', `/v1/products/${id}`, { name: 'New', price: 9 });

  expect(status).toBe(404);
  expect(await wholeTable()).toEqual(before);
});

test('400s for a product that is its own demo', async () => {
  const { id } = await make();

  const { status } = await service.call('PUT', `/v1/products/${id}`, { name: 'New', price: 9, demoId: id });

  expect(status).toBe(400);
});

test('replacing costs one call', async () => {
  const { id } = await make();

  const { cost } = await service.call('PUT', `/v1/products/${id}`, { name: 'Chair', price: 9 });

  expect(cost?.calls).toBe(1);
});
