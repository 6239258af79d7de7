import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { newId } from '../clock.ts';
import type { Identifier } from '../identifier.ts';
import type { Source } from '../lists/page.ts';
import { notFound } from '../problem.ts';
import { isRecorded, putNew, transactOnce } from '../table/idempotency.ts';
import { type Key, rowsOf } from '../table/query.ts';
import { refusedToNotFound } from '../table/retry.ts';
import { db, findItem, partition, tableName } from '../table/table.ts';
import type { Resident } from './residents.ts';
import { findVisitor, welcoming } from './visitor.ts';

/** What a request sets of a gift card; PUT replaces all of it. */
export interface GiftCardFields {
  /** In L$. */
  credit: number;
  texture: string | null;
  transfer: boolean;
  active: boolean;
}

/** `ownerUsername` is a copy of the owner's name: `renameEverywhere` follows a change of it. */
export interface GiftCard extends GiftCardFields {
  id: string;
  ownerUuid: string;
  ownerUsername: string;
  redeemed: boolean;
  purchased: boolean;
}

export interface GiftCardItem extends GiftCard, Key {
  ranked: string;
  rank: string;
  /** The two values that `ranked` can have, so that an update that does not know the owner can set it. */
  rankedOn: string;
  rankedOff: string;
}

/** Fields that no request sets. */
export interface ImportedGiftCard {
  id?: string;
  redeemed?: boolean;
  purchased?: boolean;
}

export const giftCardKey = (store: string, id: string): Key => ({ pk: partition(store, 'GIFTCARD'), sk: id });

/** The partition of an owner's cards with these flags in the index by rank. */
export const rankedOf = (store: string, owner: string, active: boolean, redeemed: boolean): string =>
  partition(store, 'GIFTCARD', `${owner}#${Number(active)}${Number(redeemed)}`);

/** The item of a new gift card. */
export const giftCardItem = (
  store: string,
  owner: Resident,
  fields: GiftCardFields,
  imported: ImportedGiftCard = {},
): GiftCardItem => {
  const card = { ...fields, id: newId(), redeemed: false, purchased: false, ...imported };
  const rankedOn = rankedOf(store, owner.uuid, true, card.redeemed);
  const rankedOff = rankedOf(store, owner.uuid, false, card.redeemed);
  return {
    ...giftCardKey(store, card.id),
    ...card,
    ownerUuid: owner.uuid,
    ownerUsername: owner.username,
    ranked: card.active ? rankedOn : rankedOff,
    rank: card.id,
    rankedOn,
    rankedOff,
  };
};

/** Grants a card to a customer. Throws 404 if there is no such resident. */
export const grantGiftCard = async (
  store: string,
  identifier: Identifier,
  fields: Omit<GiftCardFields, 'active'>,
): Promise<GiftCard> => {
  const customer = await findVisitor(store, identifier);
  if (!customer) throw notFound();
  const card = giftCardItem(store, customer, { ...fields, active: true });
  await putNew({ ...card }, card, welcoming(store, customer));
  return card;
};

/** Writes a new gift card. */
export const putGiftCard = async (
  store: string,
  owner: Resident,
  fields: GiftCardFields,
  imported?: ImportedGiftCard,
): Promise<GiftCard> => {
  const card = giftCardItem(store, owner, fields, imported);
  await putNew({ ...card }, card);
  return card;
};

/** A store's cards, in the order of their ids. */
export const listStoreCards = (store: string): Source<GiftCardItem> =>
  rowsOf({ partition: partition(store, 'GIFTCARD') });

/** Throws 404. */
export const getGiftCard = async (store: string, id: string): Promise<GiftCard> => {
  const item = await findItem<GiftCard>(giftCardKey(store, id));
  if (!item) throw notFound();
  return item;
};

/** Sets some fields of a card, and its place in the index. `redeemed` is none of them. Throws 404. */
const setFields = async (
  store: string,
  id: string,
  fields: Partial<GiftCardFields> & { active: boolean },
): Promise<GiftCard> => {
  const set = Object.entries(fields);
  const sets = set.map(([name]) => `#${name} = :${name}`).join(', ');
  const update = {
    TableName: tableName(),
    Key: giftCardKey(store, id),
    UpdateExpression: `SET ${sets}, ranked = ${fields.active ? 'rankedOn' : 'rankedOff'}`,
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeNames: Object.fromEntries(set.map(([name]) => [`#${name}`, name])),
    ExpressionAttributeValues: Object.fromEntries(set.map(([name, value]) => [`:${name}`, value])),
  };
  if (isRecorded()) {
    const card = { ...(await getGiftCard(store, id)), ...fields };
    if (await transactOnce([{ Update: update }], card)) throw notFound();
    return card;
  }
  const { Attributes } = await refusedToNotFound(() =>
    db.send(new UpdateCommand({ ...update, ReturnValues: 'ALL_NEW' })),
  );
  return Attributes as GiftCard;
};

/** Replaces a card's fields. Throws 404. */
export const updateGiftCard = (store: string, id: string, fields: GiftCardFields): Promise<GiftCard> =>
  setFields(store, id, fields);

/** Throws 404. */
export const disableGiftCard = (store: string, id: string): Promise<GiftCard> =>
  setFields(store, id, { active: false });
