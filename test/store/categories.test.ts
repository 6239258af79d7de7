import { beforeAll, expect, test } from 'vitest';
import {
  addMember,
  createCategory,
  deleteCategory,
  getCategory,
  listMembers,
  removeMember,
} from '../../lib/store/categories.ts';
import { createProduct, getProduct, listProducts } from '../../lib/store/products.ts';
import { productWith } from '../support/rows.ts';
import { freshTable } from '../support/service.ts';

const store = 'store';
beforeAll(freshTable);

const products = (count: number) =>
  Promise.all(Array.from({ length: count }, () => createProduct(store, productWith())));
const members = (id: string) => listMembers(store, id)({ descending: false });
const remove = (id: string, productId: string) =>
  removeMember(store, id, productId, () => getProduct(store, productId));

test('20 concurrent adds of 20 products count 20, and of one product count 1', async () => {
  const many = await createCategory(store, { name: 'Many' });
  const one = await createCategory(store, { name: 'One' });
  const made = await products(20);
  const first = made[0]?.id ?? '';

  await Promise.all(made.map(({ id }) => addMember(store, many.id, id)));
  await Promise.all(made.map(() => addMember(store, one.id, first)));

  expect((await getCategory(store, many.id)).productCount).toBe(20);
  expect((await getCategory(store, one.id)).productCount).toBe(1);
});

test('concurrent adds and removes leave a count that equals the memberships', async () => {
  const { id } = await createCategory(store, { name: 'Busy' });
  const made = await products(5);

  await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      (i % 3 === 0 ? remove : (a: string, b: string) => addMember(store, a, b))(id, made[i % 5]?.id ?? ''),
    ),
  );

  expect((await getCategory(store, id)).productCount).toBe((await members(id)).length);
});

test('a delete that races adds leaves no membership that a list shows', async () => {
  const { id } = await createCategory(store, { name: 'Doomed' });
  const made = await products(20);

  await Promise.allSettled([...made.map((product) => addMember(store, id, product.id)), deleteCategory(store, id)]);

  expect(await listProducts(store, { category: id })({ descending: false, limit: 100 })).toEqual([]);
  await expect(getCategory(store, id)).rejects.toMatchObject({ status: 404 });
});
