import { getDelivery, listDeliveries } from '../../lib/routes/deliveries.ts';
import * as rows from '../../lib/routes/products.ts';
import type { Resident } from '../../lib/store/residents.ts';
import { send } from './client.ts';
import { type Action, compare, compareIds, type World } from './world.ts';

/** Actions on products and deliveries. */

const maxProducts = 12;

const fieldsOf = ({ below, unique, index }: World) => ({
  name: `${unique('Chair')} Client${index}.`,
  price: below(10_000),
  active: below(4) > 0,
  bloggable: below(2) === 0,
  description: 'Oak, with ½ a smile. 😀\n'.repeat(below(20)).trim(),
  item: 'Chair',
});

const create = async (world: World): Promise<void> => {
  const { service, own } = world;
  if (own.products.length >= maxProducts) return update(world);
  const body = fieldsOf(world);
  const answer = await send(service, rows.createProduct, { body });
  const { id } = answer.body;
  own.products.push(id);
  service.ledger.changed('PRODUCT', id, body);
  compare(world, `product ${id} as created`, answer.body, body);
};

const update = async (world: World): Promise<void> => {
  const { service, pick, own } = world;
  const id = pick(own.products);
  if (id === undefined) return;
  const body = fieldsOf(world);
  service.ledger.changing('PRODUCT', id);
  const answer = await send(service, rows.updateProduct, { params: { id }, body });
  service.ledger.changed('PRODUCT', id, body);
  compare(world, `product ${id} after an update`, answer.body, { id, ...body });
};

const read = async (world: World): Promise<void> => {
  const { service, pick, own } = world;
  const id = pick(own.products);
  if (id === undefined) return;
  const { body } = await send(service, rows.getProduct, { params: { id } });
  compare(world, `product ${id}`, body, { id, ...service.ledger.rows.PRODUCT.get(id)?.fields });
};

const activeOnes = ({ service, own }: World): string[] =>
  own.products.filter((id) => service.ledger.rows.PRODUCT.get(id)?.fields.active);

/** Without the full stop client 1 would also find the products of client 11. */
const search = async (world: World): Promise<void> => {
  const { body } = await send(world.service, rows.listProducts, { query: { search: `client${world.index}.` } });
  compareIds(world, `a search for the products of client ${world.index}`, body.data, activeOnes(world));
};

const listOfCategory = async (world: World): Promise<void> => {
  const { service, pick, own } = world;
  const category = pick(own.categories);
  if (category === undefined) return;
  const { body } = await send(service, rows.listProducts, { query: { category } });
  const members = service.ledger.members.get(category) ?? new Set();
  const known = activeOnes(world).filter((id) => members.has(id));
  compareIds(world, `the products of category ${category}`, body.data, known);
};

const page = async ({ service, below }: World): Promise<void> => {
  const query = [{}, { bloggable: true }, { listed: true, bloggable: false }, { search: 'oak' }][below(4)] ?? {};
  await send(service, rows.listProducts, { query: { ...query, limit: 20 } });
};

const deliver = async (world: World): Promise<void> => {
  const { service, pick, own, unique, customers } = world;
  const id = pick(own.products);
  if (id === undefined) return;
  const { uuid, username } = pick(customers) as Resident;
  const message = unique('note');
  const active = service.ledger.rows.PRODUCT.get(id)?.fields.active;
  const call = { params: { id }, body: { recipientIdentifier: username, message }, expect: [active ? 200 : 404] };
  const answer = await send(service, rows.deliverProduct, call);
  if (answer.status !== 200) return;
  service.ledger.deliveries.set(message, { attempts: answer.attempts });
  const known = { productId: id, recipientUuid: uuid, recipientUsername: username, queued: true, message };
  compare(world, `a delivery of ${id}`, answer.body, known);
};

/**
 * A delivery that the list shows is found by its id. The first attempt writes both, so the client knows no id before.
 */
const readDelivery = async (world: World): Promise<void> => {
  const { service, pick, customers } = world;
  const recipient = (pick(customers) as Resident).uuid;
  const listed = pick((await send(service, listDeliveries, { query: { recipient } })).body.data) as { id: string };
  if (listed === undefined) return;
  const { id } = listed;
  const { body } = await send(service, getDelivery, { params: { id } });
  compare(world, `delivery ${id}`, body, { id, recipientUuid: recipient });
};

export const productActions: readonly Action[] = [
  { weight: 3, run: create },
  { weight: 4, run: update },
  { weight: 7, run: read },
  { weight: 2, run: search },
  { weight: 2, run: listOfCategory },
  { weight: 3, run: page },
  { weight: 5, run: deliver },
  { weight: 1, run: readDelivery },
];
