import * as rows from '../../lib/routes/categories.ts';
import { send } from './client.ts';
import { type Action, compare, type World } from './world.ts';

/** Actions on the client's own categories, and on the shared ones, whose counts all clients change. */

const maxCategories = 4;

const create = async (world: World): Promise<void> => {
  const { service, own, unique } = world;
  if (own.categories.length >= maxCategories) return remove(world);
  const body = { name: unique('Seating') };
  const answer = await send(service, rows.createCategory, { body });
  const { id } = answer.body;
  own.categories.push(id);
  service.ledger.members.set(id, new Set());
  service.ledger.changed('CATEGORY', id, body);
  compare(world, `category ${id} as created`, answer.body, { ...body, productCount: 0 });
};

const remove = async ({ service, own, pick }: World): Promise<void> => {
  const id = pick(own.categories);
  if (id === undefined) return;
  service.ledger.changing('CATEGORY', id);
  await send(service, rows.deleteCategory, { params: { id } });
  own.categories = own.categories.filter((other) => other !== id);
  service.ledger.rows.CATEGORY.delete(id);
  service.ledger.members.delete(id);
  await send(service, rows.getCategory, { params: { id }, expect: [404] });
};

const rename = async (world: World): Promise<void> => {
  const { service, own, pick, unique } = world;
  const id = pick(own.categories);
  if (id === undefined) return;
  const body = { name: unique('Tables') };
  service.ledger.changing('CATEGORY', id);
  const answer = await send(service, rows.updateCategory, { params: { id }, body });
  service.ledger.changed('CATEGORY', id, body);
  compare(world, `category ${id} after an update`, answer.body, { id, ...body });
};

const read = async (world: World): Promise<void> => {
  const { service, own, pick } = world;
  const id = pick(own.categories);
  if (id === undefined) return;
  const { body } = await send(service, rows.getCategory, { params: { id } });
  const productCount = service.ledger.members.get(id)?.size;
  compare(world, `category ${id}`, body, { id, ...service.ledger.rows.CATEGORY.get(id)?.fields, productCount });
};

const move = async ({ service, own, shared, pick, below }: World): Promise<void> => {
  const id = pick([...own.categories, ...shared]);
  const productId = pick(own.products);
  if (id === undefined || productId === undefined) return;
  const isAdded = below(5) < 3;
  await send(service, isAdded ? rows.addProduct : rows.removeProduct, { params: { id, productId } });
  const members = service.ledger.members.get(id);
  if (isAdded) members?.add(productId);
  else members?.delete(productId);
};

const page = async ({ service }: World): Promise<void> => {
  await send(service, rows.listCategories, { query: { limit: 20 } });
};

export const categoryActions: readonly Action[] = [
  { weight: 2, run: create },
  { weight: 1, run: remove },
  { weight: 1, run: rename },
  { weight: 4, run: read },
  { weight: 7, run: move },
  { weight: 1, run: page },
];
