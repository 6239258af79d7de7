import { expect, test } from 'vitest';
import { expectProblem } from './shapes.ts';
import { call, createCategory, createProduct, get, unique, unknownUuid, walk } from './target.ts';

/** Categories and the products inside them. */

const count = async (id: string): Promise<number> => (await get(`/v1/categories/${id}`)).body.productCount;
const members = async (id: string): Promise<string[]> =>
  (await walk(`/v1/products?category=${id}`)).map((row) => row.id);

test('category rule 1, resource UpdateCategoryRequest: a PUT renames the category, and keeps its products', async () => {
  const { id } = await createCategory();
  const product = await createProduct();
  await call('POST', `/v1/categories/${id}/products/${product.id}`);
  const name = unique('New');

  const { body } = await call('PUT', `/v1/categories/${id}`, { name });

  expect(body).toEqual({ id, name, productCount: 1 });
  expect(await members(id)).toEqual([product.id]);
});

test('category rule 2: a deleted category is gone, but its products stay', async () => {
  const { id } = await createCategory();
  const product = await createProduct();
  await call('POST', `/v1/categories/${id}/products/${product.id}`);

  const first = await call('DELETE', `/v1/categories/${id}`);
  const second = await call('DELETE', `/v1/categories/${id}`);

  expect([first.status, first.body]).toEqual([204, undefined]);
  expectProblem(second, 404, `/v1/categories/${id}`);
  expectProblem(await get(`/v1/categories/${id}`), 404, `/v1/categories/${id}`);
  expectProblem(await call('PUT', `/v1/categories/${id}`, { name: 'Again' }), 404, `/v1/categories/${id}`);
  expect((await get(`/v1/products/${product.id}`)).body).toEqual(product);
});

test('catalogue 18: deleting a category frees its memberships', async () => {
  const { id } = await createCategory();
  const product = await createProduct();
  const path = `/v1/categories/${id}/products/${product.id}`;
  await call('POST', path);
  await call('DELETE', `/v1/categories/${id}`);

  expect(await members(id)).toEqual([]);
  expectProblem(await call('POST', path), 404, path);
  expectProblem(await call('DELETE', path), 404, path);
});

test('category rule 3, catalogue 16: adding twice is 204 twice, and counts once', async () => {
  const { id } = await createCategory();
  const path = `/v1/categories/${id}/products/${(await createProduct()).id}`;

  const answers = [
    await call('POST', path),
    await call(
      'POST',
      path.toUpperCase().replace('/V1/CATEGORIES', '/v1/categories').replace('/PRODUCTS/', '/products/'),
    ),
  ];

  expect(answers.map(({ status, body }) => [status, body])).toEqual([
    [204, undefined],
    [204, undefined],
  ]);
  expect(await count(id)).toBe(1);
});

test('category rule 4, catalogue 16: removing twice is 204 twice, and counts once', async () => {
  const { id } = await createCategory();
  const kept = await createProduct();
  const path = `/v1/categories/${id}/products/${(await createProduct()).id}`;
  await call('POST', path);
  await call('POST', `/v1/categories/${id}/products/${kept.id}`);

  const statuses = [(await call('DELETE', path)).status, (await call('DELETE', path)).status];

  expect(statuses).toEqual([204, 204]);
  expect(await count(id)).toBe(1);
  expect(await members(id)).toEqual([kept.id]);
});

test('catalogue 16: concurrent adds of one product count once', async () => {
  const { id } = await createCategory();
  const path = `/v1/categories/${id}/products/${(await createProduct()).id}`;

  const statuses = (await Promise.all(Array.from({ length: 6 }, () => call('POST', path)))).map(({ status }) => status);

  expect(statuses.filter((status) => status !== 204 && status !== 503)).toEqual([]);
  expect(await count(id)).toBe(1);
});

test.each(['POST', 'DELETE'])('catalogue 17: %s with an unknown category or product is 404', async (method) => {
  const { id } = await createCategory();
  const product = await createProduct();

  for (const path of [
    `/v1/categories/${unknownUuid}/products/${product.id}`,
    `/v1/categories/${id}/products/${unknownUuid}`,
  ])
    expectProblem(await call(method, path), 404, path);
  expect(await count(id)).toBe(0);
});

test('category rule 3: a product may be in several categories, and an inactive one counts too', async () => {
  const categories = [await createCategory(), await createCategory()];
  const product = await createProduct({ active: false });

  for (const { id } of categories) await call('POST', `/v1/categories/${id}/products/${product.id}`);

  expect(await Promise.all(categories.map(({ id }) => count(id)))).toEqual([1, 1]);
  expect(await members(categories[0].id)).toEqual([]);
});

test('catalogue 15: names need not be unique', async () => {
  const [first, second] = [await createCategory(unique('One')), await createCategory(unique('Two'))];

  const renamed = await call('PUT', `/v1/categories/${second.id}`, { name: first.name });

  expect([renamed.status, renamed.body.name]).toEqual([200, first.name]);
  expect((await createCategory(first.name)).id).not.toBe(first.id);
});

test('defaults 9: requires a name, and ignores productCount and id in a request', async () => {
  const { id, name } = await createCategory();
  const path = `/v1/categories/${id}`;

  expectProblem(await call('PUT', path, {}), 400, path, [expect.stringMatching(/^name is required/)]);
  expect((await call('PUT', path, { name, productCount: 9, id: unknownUuid })).body).toEqual({
    id,
    name,
    productCount: 0,
  });
});

test('defaults 11, defaults 15: the service sets the id and the count of a created category', async () => {
  const { body } = await call('POST', '/v1/categories', { name: 'Seats', id: unknownUuid, productCount: 7 });

  expect(body.id).not.toBe(unknownUuid);
  expect(body.productCount).toBe(0);
});
