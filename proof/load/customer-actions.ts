import * as rows from '../../lib/routes/customers.ts';
import * as cards from '../../lib/routes/gift-cards.ts';
import type { Resident } from '../../lib/store/residents.ts';
import { send } from './client.ts';
import { spendOf } from './ledger.ts';
import { type Action, compare, compareIds, type World } from './world.ts';

/** Actions on customers' flags and on gift cards. */

const maxCards = 20;

const own = ({ pick, customers }: World): Resident => pick(customers) as Resident;

const update = async (world: World): Promise<void> => {
  const { service, below } = world;
  const { uuid, username } = own(world);
  const body = {
    ...(below(2) === 0 && { discount: below(101) }),
    ...(below(2) === 0 && { newsSubscriber: below(2) === 0 }),
  };
  service.ledger.changing('CUSTOMER', uuid);
  const answer = await send(service, rows.updateCustomer, { params: { identifier: username }, body });
  // A request without fields writes nothing, so it does not make the resident a customer.
  if (Object.keys(body).length > 0 || service.ledger.rows.CUSTOMER.has(uuid))
    service.ledger.changed('CUSTOMER', uuid, body);
  compare(world, `${username} after an update`, answer.body, body);
};

const ban = async (world: World): Promise<void> => {
  const { service, below } = world;
  const { uuid, username } = own(world);
  const isBanned = below(2) === 0;
  const params = { identifier: uuid };
  service.ledger.changing('CUSTOMER', uuid);
  const answer = isBanned
    ? await send(service, rows.banCustomer, { params, ...(below(2) === 0 && { body: { reason: 'Said no.' } }) })
    : await send(service, rows.unbanCustomer, { params });
  // Unbanning a resident who is not a customer writes nothing.
  if (isBanned || service.ledger.rows.CUSTOMER.has(uuid)) service.ledger.changed('CUSTOMER', uuid, { isBanned });
  compare(world, `${username} after a ban or its end`, answer.body, { uuid, isBanned });
};

const read = async (world: World): Promise<void> => {
  const { service } = world;
  const { uuid, username } = own(world);
  const { body } = await send(service, rows.getCustomer, { params: { identifier: uuid } });
  compare(world, `customer ${username}`, body, { uuid, username, ...service.ledger.rows.CUSTOMER.get(uuid)?.fields });
};

const readSpend = async (world: World): Promise<void> => {
  const { uuid, username } = own(world);
  const { body } = await send(world.service, rows.getSpend, { params: { identifier: username } });
  const { sum, totalOwned } = spendOf(world.service.ledger.sales.values(), uuid);
  compare(world, `the spend of ${username}`, body, { uuid, sum, lastYearSum: sum, totalOwned });
};

const grant = async (world: World): Promise<void> => {
  const { service, below, own: mine } = world;
  if (mine.cards.length >= maxCards) return change(world);
  const { uuid } = own(world);
  const body = { credit: 1 + below(5000), transfer: below(2) === 0 };
  const answer = await send(service, cards.grantGiftCard, { params: { identifier: uuid }, body });
  const { id } = answer.body;
  mine.cards.push(id);
  const fields = { ...body, ownerUuid: uuid, active: true, redeemed: false, texture: null, purchased: false };
  service.ledger.changed('GIFTCARD', id, fields);
  service.ledger.changed('CUSTOMER', uuid, {});
  compare(world, `gift card ${id} as granted`, answer.body, fields);
};

const change = async (world: World): Promise<void> => {
  const { service, below, pick, own: mine } = world;
  const id = pick(mine.cards);
  if (id === undefined) return;
  const disable = below(3) === 0;
  const body = { credit: below(5000), transfer: below(2) === 0, active: below(2) === 0 };
  service.ledger.changing('GIFTCARD', id);
  const answer = disable
    ? await send(service, cards.disableGiftCard, { params: { id } })
    : await send(service, cards.updateGiftCard, { params: { id }, body });
  service.ledger.changed('GIFTCARD', id, disable ? { active: false } : body);
  compare(world, `gift card ${id} after a change`, answer.body, service.ledger.rows.GIFTCARD.get(id)?.fields ?? {});
};

const readCard = async (world: World): Promise<void> => {
  const { service, pick, own: mine } = world;
  const id = pick(mine.cards);
  if (id === undefined) return;
  const { body } = await send(service, cards.getGiftCard, { params: { id } });
  compare(world, `gift card ${id}`, body, service.ledger.rows.GIFTCARD.get(id)?.fields ?? {});
};

const listCards = async (world: World): Promise<void> => {
  const { service, below, own: mine } = world;
  const { uuid, username } = own(world);
  const active = [undefined, true, false][below(3)];
  const call = { params: { identifier: uuid }, query: { redeemed: false, ...(active !== undefined && { active }) } };
  const { body } = await send(service, cards.listGiftCards, call);
  const known = mine.cards.filter((id) => {
    const fields = service.ledger.rows.GIFTCARD.get(id)?.fields;
    return fields?.ownerUuid === uuid && (active === undefined || fields.active === active);
  });
  compareIds(world, `the gift cards of ${username}`, body.data, known);
};

const listCustomers = async ({ service, below }: World): Promise<void> => {
  const query = [{}, { newsSubscriber: true }, { newsSubscriber: false }, { spentMoreThan: 0 }][below(4)] ?? {};
  await send(service, rows.listCustomers, { query: { ...query, limit: 20 } });
};

export const customerActions: readonly Action[] = [
  { weight: 4, run: update },
  { weight: 3, run: ban },
  { weight: 8, run: read },
  { weight: 3, run: readSpend },
  { weight: 3, run: grant },
  { weight: 3, run: change },
  { weight: 3, run: readCard },
  { weight: 3, run: listCards },
  { weight: 2, run: listCustomers },
];
