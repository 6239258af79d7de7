import * as rows from '../../../lib/routes/categories.ts';
import { type Action, compare, type World, withOwn, writeRow } from '../action.ts';
import { send } from '../client.ts';

/** Actions on the client's own categories, and on shared ones, whose counts all clients change. */

const maxCategories = 4;

const create = async (world: World): Promise<void> => {
  const { service, own, unique } = world;
  if (own.categories.length >= maxCategories) return remove(world);
  const body = { name: unique('Seating') };
  const id = await writeRow(world, 'CATEGORY', undefined, [rows.createCategory, { body }], body);
  own.categories.push(id);
  service.book.members.set(id, new Set());
};

const remove = async ({ service, own, pick }: World): Promise<void> => {
  const id = pick(own.categories);
  if (id === undefined) return;
  service.book.changing('CATEGORY', id);
  await send(service, rows.deleteCategory, { params: { id } });
  own.categories = own.categories.filter((other) => other !== id);
  service.book.rows.CATEGORY.delete(id);
  service.book.members.delete(id);
  await send(service, rows.getCategory, { params: { id }, expect: [404] });
};

const rename = (world: World): Promise<void> =>
  withOwn(world, 'categories', (id) => {
    const body = { name: world.unique('Tables') };
    return writeRow(world, 'CATEGORY', id, [rows.updateCategory, { params: { id }, body }], body);
  });

const read = async (world: World): Promise<void> => {
  const { service, own, pick } = world;
  const id = pick(own.categories);
  if (id === undefined) return;
  const { body } = await send(service, rows.getCategory, { params: { id } });
  const productCount = service.book.members.get(id)?.size;
  compare(world, `category ${id}`, body, { id, ...service.book.rows.CATEGORY.get(id)?.fields, productCount });
};

const move = async ({ service, own, shared, pick, below }: World): Promise<void> => {
  const id = pick([...own.categories, ...shared]);
  const productId = pick(own.products);
  if (id === undefined || productId === undefined) return;
  const isAdded = below(5) < 3;
  await send(service, isAdded ? rows.addProduct : rows.removeProduct, { params: { id, productId } });
  const members = service.book.members.get(id);
  if (isAdded) members?.add(productId);
  else members?.delete(productId);
};

export const categoryActions: readonly Action[] = [
  { weight: 2, run: create },
  { weight: 1, run: remove },
  { weight: 1, run: rename },
  { weight: 4, run: read },
  { weight: 7, run: move },
];
