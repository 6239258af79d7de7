import { beforeAll, describe, expect, test } from 'vitest';
import { addMember, createCategory, getCategory } from '../../../lib/store/categories.ts';
import { createProduct } from '../../../lib/store/products.ts';
import { productWith, unknownId } from '../../support/rows.ts';
import { startTestService, wholeTable } from '../../support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  service = await startTestService();
});

const make = async (store = service.store) => ({
  category: (await createCategory(store, { name: 'Some' })).id,
  product: (await createProduct(store, productWith())).id,
});

test('adding is idempotent: 204 again, the count moves once', async () => {
  const { category, product } = await make();
  const path = `/v1/categories/${category}/products/${product}`;

  const answers = [await service.call('POST', path), await service.call('POST', path)];

  expect(answers.map(({ status, body }) => [status, body])).toEqual([
    [204, undefined],
    [204, undefined],
  ]);
  expect(answers[0]?.cost).toMatchObject({ calls: 1 });
  expect((await getCategory(service.store, category)).productCount).toBe(1);
});

test('removing is idempotent: 204 again, the count moves once', async () => {
  const { category, product } = await make();
  await addMember(service.store, category, product);
  const path = `/v1/categories/${category}/products/${product}`;

  const answers = [await service.call('DELETE', path), await service.call('DELETE', path)];

  expect(answers.map(({ status }) => status)).toEqual([204, 204]);
  expect(answers[0]?.cost).toMatchObject({ calls: 1 });
  expect((await getCategory(service.store, category)).productCount).toBe(0);
});

describe.each(['POST', 'DELETE'])('%s', (method) => {
  test('404s for an unknown or another store’s category or product, and writes nothing', async () => {
    const own = await make();
    const other = await make(service.otherStore);
    const before = await wholeTable();

    for (const [category, product] of [
      [unknownId, own.product],
      [own.category, unknownId],
      [other.category, own.product],
      [own.category, other.product],
      [other.category, other.product],
    ])
      expect((await service.call(method, `/v1/categories/${category}/products/${product}`)).status).toBe(404);

    expect(await wholeTable()).toEqual(before);
  });

  test('400s for ids that are no UUIDs, with a message for each', async () => {
    const { status, body } = await service.call(method, '/v1/categories/x/products/y');

    expect(status).toBe(400);
    expect(body.errors).toEqual(['id must be a UUID.', 'productId must be a UUID.']);
  });
});

test('PUT renames and keeps the count; DELETE answers 204 once, then 404', async () => {
  const { category, product } = await make();
  await addMember(service.store, category, product);
  const path = `/v1/categories/${category}`;

  const renamed = await service.call('PUT', path, { name: 'New' });
  const deleted = [await service.call('DELETE', path), await service.call('DELETE', path)];

  expect(renamed).toMatchObject({
    status: 200,
    body: { id: category, name: 'New', productCount: 1 },
    cost: { calls: 1 },
  });
  expect(deleted.map(({ status }) => status)).toEqual([204, 404]);
  expect((await wholeTable()).some(({ pk }) => String(pk).includes(category))).toBe(false);
});

test('GET, PUT and DELETE 404 for another store’s category and leave it', async () => {
  const { category } = await make(service.otherStore);
  const before = await wholeTable();

  for (const method of ['GET', 'PUT', 'DELETE'])
    expect(
      (await service.call(method, `/v1/categories/${category}`, method === 'PUT' ? { name: 'x' } : undefined)).status,
    ).toBe(404);

  expect(await wholeTable()).toEqual(before);
});
