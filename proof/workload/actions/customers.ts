import type { Resident } from '../../../lib/avatars/residents.ts';
import * as rows from '../../../lib/routes/customers.ts';
import * as cards from '../../../lib/routes/gift-cards.ts';
import { type Action, compare, compareIds, readRow, type World, withOwn, writeRow } from '../action.ts';
import { spendOf } from '../book.ts';
import { send } from '../client.ts';

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
  service.book.changing('CUSTOMER', uuid);
  const answer = await send(service, rows.updateCustomer, { params: { identifier: username }, body });
  // A request without fields writes nothing, so it does not make the resident a customer.
  if (Object.keys(body).length > 0 || service.book.rows.CUSTOMER.has(uuid))
    service.book.changed('CUSTOMER', uuid, body);
  compare(world, `${username} after an update`, answer.body, body);
};

const ban = async (world: World): Promise<void> => {
  const { service, below } = world;
  const { uuid, username } = own(world);
  const isBanned = below(2) === 0;
  const params = { identifier: uuid };
  service.book.changing('CUSTOMER', uuid);
  const answer = isBanned
    ? await send(service, rows.banCustomer, { params, ...(below(2) === 0 && { body: { reason: 'Said no.' } }) })
    : await send(service, rows.unbanCustomer, { params });
  // Unbanning a resident who is not a customer writes nothing.
  if (isBanned || service.book.rows.CUSTOMER.has(uuid)) service.book.changed('CUSTOMER', uuid, { isBanned });
  compare(world, `${username} after a ban or its end`, answer.body, { uuid, isBanned });
};

const read = async (world: World): Promise<void> => {
  const { service } = world;
  const { uuid, username } = own(world);
  const { body } = await send(service, rows.getCustomer, { params: { identifier: uuid } });
  compare(world, `customer ${username}`, body, { uuid, username, ...service.book.rows.CUSTOMER.get(uuid)?.fields });
};

const readSpend = async (world: World): Promise<void> => {
  const { uuid, username } = own(world);
  const { body } = await send(world.service, rows.getSpend, { params: { identifier: username } });
  const { sum, totalOwned } = spendOf(world.service.book.sales.values(), uuid);
  compare(world, `the spend of ${username}`, body, { uuid, sum, lastYearSum: sum, totalOwned });
};

const grant = async (world: World): Promise<void> => {
  const { service, below, own: mine } = world;
  if (mine.cards.length >= maxCards) return change(world);
  const { uuid } = own(world);
  const body = { credit: 1 + below(5000), transfer: below(2) === 0 };
  const fields = { ...body, ownerUuid: uuid, active: true, redeemed: false, texture: null, purchased: false };
  const call = { params: { identifier: uuid }, body };
  mine.cards.push(await writeRow(world, 'GIFTCARD', undefined, [cards.grantGiftCard, call], fields));
  service.book.changed('CUSTOMER', uuid, {});
};

const change = (world: World): Promise<void> =>
  withOwn(world, 'cards', (id) => {
    const { below } = world;
    const body = { credit: below(5000), transfer: below(2) === 0, active: below(2) === 0 };
    if (below(3) > 0) return writeRow(world, 'GIFTCARD', id, [cards.updateGiftCard, { params: { id }, body }], body);
    return writeRow(world, 'GIFTCARD', id, [cards.disableGiftCard, { params: { id } }], { active: false });
  });

/**
 * Redeems a card for permanent credit. Its owner gets the credit, or another customer if the card may be given away.
 */
const redeem = async (world: World): Promise<void> => {
  const { service, pick, below, own: mine } = world;
  const { book } = service;
  const fieldsOf = (id: string) => book.rows.GIFTCARD.get(id)?.fields ?? {};
  const id = pick(mine.cards.filter((one) => fieldsOf(one).active && Number(fieldsOf(one).credit) > 0));
  if (id === undefined) return;
  const { ownerUuid, credit, transfer } = fieldsOf(id);
  const uuid = transfer && below(2) === 0 ? own(world).uuid : String(ownerUuid);
  mine.cards.splice(mine.cards.indexOf(id), 1);
  book.changing('GIFTCARD', id);
  const end = book.begin();
  const { body } = await send(service, cards.redeemGiftCard, { params: { id }, body: { identifier: uuid } });
  const command = { kind: 'increment', delta: Number(credit) } as const;
  book.credit.push({ uuid, type: 'regular', key: id, command, outcome: 'done', ...end(), answer: body.credit });
  book.redeemed.add(id);
  const redeemed = { redeemed: true, credit: 0 };
  book.changed('GIFTCARD', id, redeemed);
  book.changed('CUSTOMER', uuid, {});
  compare(world, `gift card ${id} as redeemed`, body.giftCard, redeemed);
};

const readCard = (world: World): Promise<void> =>
  withOwn(world, 'cards', (id) => readRow(world, 'GIFTCARD', id, [cards.getGiftCard, { params: { id } }]));

const listCards = async (world: World): Promise<void> => {
  const { service, below, own: mine } = world;
  const { uuid, username } = own(world);
  const active = [undefined, true, false][below(3)];
  const call = { params: { identifier: uuid }, query: { redeemed: false, ...(active !== undefined && { active }) } };
  const { body } = await send(service, cards.listGiftCards, call);
  const known = mine.cards.filter((id) => {
    const fields = service.book.rows.GIFTCARD.get(id)?.fields;
    return fields?.ownerUuid === uuid && (active === undefined || fields.active === active);
  });
  compareIds(world, `the gift cards of ${username}`, body.data, known);
};

export const customerActions: readonly Action[] = [
  { weight: 4, run: update },
  { weight: 3, run: ban },
  { weight: 8, run: read },
  { weight: 3, run: readSpend },
  { weight: 3, run: grant },
  { weight: 3, run: change },
  { weight: 2, run: redeem },
  { weight: 3, run: readCard },
  { weight: 3, run: listCards },
];
