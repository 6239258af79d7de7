import type { Resident } from '../../../lib/avatars/residents.ts';
import { getDelivery, listDeliveries } from '../../../lib/routes/deliveries.ts';
import * as rows from '../../../lib/routes/products.ts';
import { type Action, compare, compareIds, readRow, type World, withOwn, writeRow } from '../action.ts';
import { send } from '../client.ts';

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
  const { own } = world;
  if (own.products.length >= maxProducts) return update(world);
  const body = fieldsOf(world);
  own.products.push(await writeRow(world, 'PRODUCT', undefined, [rows.createProduct, { body }], body));
};

const update = (world: World): Promise<void> =>
  withOwn(world, 'products', (id) => {
    const body = fieldsOf(world);
    return writeRow(world, 'PRODUCT', id, [rows.updateProduct, { params: { id }, body }], body);
  });

const read = (world: World): Promise<void> =>
  withOwn(world, 'products', (id) => readRow(world, 'PRODUCT', id, [rows.getProduct, { params: { id } }]));

const activeOnes = ({ service, own }: World): string[] =>
  own.products.filter((id) => service.book.rows.PRODUCT.get(id)?.fields.active);

/** Without the full stop, client 1 would also find the products of client 11. */
const search = async (world: World): Promise<void> => {
  const { body } = await send(world.service, rows.listProducts, { query: { search: `client${world.index}.` } });
  compareIds(world, `a search for the products of client ${world.index}`, body.data, activeOnes(world));
};

const listOfCategory = async (world: World): Promise<void> => {
  const { service, pick, own } = world;
  const category = pick(own.categories);
  if (category === undefined) return;
  const { body } = await send(service, rows.listProducts, { query: { category } });
  const members = service.book.members.get(category) ?? new Set();
  const known = activeOnes(world).filter((id) => members.has(id));
  compareIds(world, `the products of category ${category}`, body.data, known);
};

const deliver = async (world: World): Promise<void> => {
  const { service, pick, own, unique, customers } = world;
  const id = pick(own.products);
  if (id === undefined) return;
  const { uuid, username } = pick(customers) as Resident;
  const message = unique('note');
  const active = service.book.rows.PRODUCT.get(id)?.fields.active;
  const call = { params: { id }, body: { recipientIdentifier: username, message }, expect: [active ? 200 : 404] };
  const answer = await send(service, rows.deliverProduct, call);
  if (answer.status !== 200) return;
  service.book.deliveries.set(message, { attempts: answer.attempts });
  const known = { productId: id, recipientUuid: uuid, recipientUsername: username, queued: true, message };
  compare(world, `a delivery of ${id}`, answer.body, known);
};

/**
 * Reads a delivery from a list by its id. The first attempt writes the record with the id, so the client knows no id
 * before. Few of a client's customers are given anything, so it also looks in the list of all deliveries.
 */
const readDelivery = async (world: World): Promise<void> => {
  const { service, pick, below, customers } = world;
  const recipient = below(2) === 0 ? (pick(customers) as Resident).uuid : undefined;
  const { body: list } = await send(service, listDeliveries, { query: recipient === undefined ? {} : { recipient } });
  const listed = pick(list.data) as { id: string; recipientUuid: string } | undefined;
  if (listed === undefined) return;
  const { id, recipientUuid } = listed;
  const { body } = await send(service, getDelivery, { params: { id } });
  compare(world, `delivery ${id}`, body, { id, recipientUuid: recipient ?? recipientUuid });
};

export const productActions: readonly Action[] = [
  { weight: 3, run: create },
  { weight: 4, run: update },
  { weight: 7, run: read },
  { weight: 2, run: search },
  { weight: 2, run: listOfCategory },
  { weight: 5, run: deliver },
  { weight: 1, run: readDelivery },
];
