import { findStoreResident, newCustomerWrites } from '../avatars/customers.ts';
import type { Resident } from '../avatars/residents.ts';
import { newId, now, timestamp } from '../clock.ts';
import type { Identifier } from '../identifier.ts';
import { loaded, merged, type Source } from '../lists/source.ts';
import { invalid, notFound } from '../problem.ts';
import type { GiftCard, GiftCardFields, GiftCardFilter, GrantRequest } from '../routes/gift-cards.ts';
import type { SoldCard } from '../routes/rules.ts';
import { giftCardKey, partition } from '../table/keys.ts';
import { all, copyOf, exists, is, isNew, missing, put, unchanged, update, type Write } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { get, getMany, type Precondition, rowsOf, write } from '../table/table.ts';
import { decideTold } from './told.ts';

export interface GiftCardItem extends GiftCard, Key {
  ranked: string;
  rank: string;
  /** The two values that `ranked` can have, so that an update that does not know the owner can set it. */
  rankedOn: string;
  rankedOff: string;
  /** When a request granted the card, with the request's texts; or when a sale made it. Absent for an imported card. */
  grantedAt?: string;
  reason?: string;
  reference?: string;
  /** When, by which request and for whom the service redeemed the card. Absent for a card imported as redeemed. */
  redeemedAt?: string;
  redeemedBy?: string;
  redeemedFor?: string;
  /** The L$ on it when the service redeemed it. */
  worth?: number;
  /** When the sale that made it was refunded: it is disabled for good. */
  refundedAt?: string;
  /** As the last import told it. A card that was made here does not have this. */
  told?: ToldCard;
}

/** All that an import can tell of a card except its owner, who stays. */
export type ToldCard = Pick<GiftCard, 'credit' | 'active' | 'redeemed' | 'transfer' | 'texture' | 'purchased'>;

/** Fields that no request sets. */
export interface ImportedGiftCard {
  id?: string;
  redeemed?: boolean;
  purchased?: boolean;
}

/** The partition of an owner's cards with these flags in the index by rank. */
const rankedOf = (store: string, owner: string, active: boolean, redeemed: boolean): string =>
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

/** The effect that a row of an import has on a card. `must` says why a row is refused, and which value it must have. */
export type BroughtCard =
  | { kind: 'created' | 'changed'; write: Write }
  | { kind: 'unchanged' }
  | { kind: 'refused'; field: 'owner' | keyof ToldCard; must: string };

const toldOf = ({ credit, active, redeemed, transfer, texture, purchased }: ToldCard): ToldCard => ({
  credit,
  active,
  redeemed,
  transfer,
  texture,
  purchased,
});

const unset = { texture: null, transfer: false, active: true, redeemed: false, purchased: false };

/** The reason why no import changes a card. */
const reasonToKeep = ({ id, redeemedAt, refundedAt }: GiftCardItem): string => {
  if (redeemedAt !== undefined) return 'this store has redeemed the card, so nothing changes it any more';
  if (refundedAt !== undefined) return 'this store has refunded the sale of the card, so nothing changes it any more';
  return `this store has granted or changed the card, so no import changes it; PUT /v1/giftcards/${id} does`;
};

/**
 * Decides what a row does to the card with its id, as the card was read. A card that this store has granted, sold,
 * changed, redeemed or refunded stays as it is. `row` has a value for each column of its file. For the other values a
 * new card has the defaults, and a card that is there keeps its own.
 */
export const bringCard = (
  store: string,
  owner: Resident,
  { id, ...row }: { id: string } & Partial<ToldCard> & Pick<ToldCard, 'credit'>,
  stored: GiftCardItem | undefined,
): BroughtCard => {
  if (stored && stored.ownerUuid !== owner.uuid)
    return { kind: 'refused', field: 'owner', must: `must be ${stored.ownerUuid}: a gift card keeps its owner` };
  const names = Object.keys(row) as (keyof ToldCard)[];
  const differing = (values: ToldCard) => names.find((name) => values[name] !== row[name]);
  const says = (values: ToldCard): boolean => differing(values) === undefined;
  const here = stored && toldOf(stored);
  const { told, worth, grantedAt, redeemedAt, refundedAt } = stored ?? {};
  const isTouched = [grantedAt, redeemedAt, refundedAt].some((at) => at !== undefined);
  const decided = decideTold({ told, here, isTouched, says });
  // True for a row of an export that was made before the card was redeemed.
  const isOfBefore = here && worth !== undefined && says({ ...here, credit: worth, redeemed: false });
  if (decided === 'unchanged' || isOfBefore) return { kind: 'unchanged' };
  if (stored && here && decided === 'keep') {
    const field = differing(here) ?? 'credit';
    return { kind: 'refused', field, must: `must be ${here[field]}, as it is here: ${reasonToKeep(stored)}` };
  }
  const values = toldOf({ ...unset, ...here, ...row });
  const item = { ...giftCardItem(store, owner, values, { id, ...values }), told: values };
  const asRead = stored ? unchanged(stored, ['redeemedAt', 'refundedAt']) : isNew;
  return { kind: stored ? 'changed' : 'created', write: put(item, asRead, stored) };
};

/** The write of the card that a sale makes for its recipient. */
export const soldCard = (
  store: string,
  owner: Resident,
  { credit, texture }: SoldCard,
  id: string,
  at: string,
): Write =>
  put(
    {
      ...giftCardItem(store, owner, { credit, texture, transfer: false, active: true }, { id, purchased: true }),
      grantedAt: at,
    },
    isNew,
  );

/** A refund of the sale that made a card disables the card for good, unless it has been redeemed. */
export const cardRefund = (card: GiftCardItem, at: string): Write =>
  update(card, {
    set: { active: false, ranked: copyOf('rankedOff'), refundedAt: at },
    when: all(exists, is('redeemed', false)),
  });

const asAnswer = (card: GiftCardItem): GiftCard => card;

/** Grants a card to a customer. Throws 404 if there is no such resident. */
export const grantGiftCard = async (
  store: string,
  identifier: Identifier,
  { reason, reference, ...fields }: GrantRequest,
): Promise<GiftCard> => {
  const customer = await findStoreResident(store, identifier);
  if (!customer) throw notFound();
  const card = {
    ...giftCardItem(store, customer, { ...fields, active: true }),
    grantedAt: timestamp(now()),
    reason,
    reference,
  };
  await write(put(card, isNew), { answer: asAnswer, together: newCustomerWrites(store, customer) });
  return card;
};

export const putGiftCard = async (
  store: string,
  owner: Resident,
  fields: GiftCardFields,
  imported?: ImportedGiftCard,
): Promise<GiftCard> => {
  const card = giftCardItem(store, owner, fields, imported);
  await write(put(card, isNew));
  return card;
};

/** A store's cards, in the order of their ids. */
export const listStoreCards = (store: string): Source<GiftCardItem> =>
  rowsOf({ partition: partition(store, 'GIFTCARD') });

/** Throws 404. */
export const getGiftCard = async (store: string, id: string): Promise<GiftCardItem> => {
  const card = await get<GiftCardItem>(giftCardKey(store, id));
  if (!card) throw notFound();
  return card;
};

/**
 * Sets some fields of a card, and its place in the index. Throws 404; and 400 if the service has redeemed the card, or
 * a refund has disabled it. Disabling a card that a refund has disabled changes nothing and throws nothing.
 */
const setFields = async (
  store: string,
  id: string,
  fields: Partial<GiftCardFields> & { active: boolean },
  ifMatch?: Precondition,
): Promise<GiftCard> => {
  const set = { ...fields, ranked: copyOf(fields.active ? 'rankedOn' : 'rankedOff') };
  const change = update(giftCardKey(store, id), {
    set,
    when: all(exists, missing('redeemedAt'), missing('refundedAt')),
  });
  const outcome = await write<GiftCardItem, GiftCard>(change, { answer: asAnswer, ifMatch });
  if (outcome.done) return outcome.result;
  const { found } = outcome;
  if (!found) throw notFound();
  const isDisabling = Object.keys(fields).length === 1 && !fields.active;
  if (isDisabling && found.refundedAt !== undefined) return asAnswer(found);
  throw invalid(
    found.redeemedAt === undefined
      ? 'The sale of the card was refunded: it cannot be changed any more.'
      : 'The card has been redeemed, and cannot be changed any more.',
  );
};

/** Replaces a card's fields. Throws 404, 412, and 400 for a card that was redeemed here or whose sale was refunded. */
export const updateGiftCard = (
  store: string,
  id: string,
  fields: GiftCardFields,
  ifMatch?: Precondition,
): Promise<GiftCard> => setFields(store, id, fields, ifMatch);

/** Throws 404, and 400 for a card that the service has redeemed. */
export const disableGiftCard = (store: string, id: string): Promise<GiftCard> =>
  setFields(store, id, { active: false });

/** Throws 400 for a card that a resident cannot redeem. */
export const checkRedeemable = (card: GiftCardItem, uuid: string): void => {
  if (card.redeemed) throw invalid('The card has been redeemed already.');
  if (card.refundedAt !== undefined) throw invalid('The sale of the card was refunded.');
  if (!card.active) throw invalid('The card is inactive: a PUT with active true enables it.');
  if (card.credit === 0) throw invalid('The card has no credit: a PUT with credit gives it some.');
  if (card.ownerUuid !== uuid && !card.transfer)
    throw invalid('identifier must name the owner of the card, since the card has no transfer.');
};

/** The cards that their owner can redeem, read consistently, in the order of their ids. */
export const listRedeemable = (store: string, owner: string): Source<GiftCardItem> =>
  loaded(
    ownersCards(store, owner, { active: true, redeemed: false }),
    ({ sk }) => sk,
    async (rows) => {
      const cards = await getMany<GiftCardItem>(rows, { consistent: true });
      return cards.filter(
        ({ ownerUuid, active, redeemed, credit }) => ownerUuid === owner && active && !redeemed && credit > 0,
      );
    },
  );

/** Redeems a card for a resident, if it is still as it was read. */
export const redeeming = (
  store: string,
  card: GiftCardItem,
  { at, by, uuid }: { at: string; by: string; uuid: string },
): Write => {
  const rankedOn = rankedOf(store, card.ownerUuid, true, true);
  const rankedOff = rankedOf(store, card.ownerUuid, false, true);
  return update(card, {
    set: {
      redeemed: true,
      credit: 0,
      redeemedAt: at,
      redeemedBy: by,
      redeemedFor: uuid,
      worth: card.credit,
      ranked: rankedOn,
      rankedOn,
      rankedOff,
    },
    when: unchanged(card),
  });
};

const either = [false, true];

/** The keys of an owner's cards in the order of their ids. Each combination of flags is a partition of the index. */
export const ownersCards = (store: string, owner: string, { active, redeemed }: GiftCardFilter = {}): Source<Key> => {
  const wanted = either
    .filter((isActive) => isActive === (active ?? isActive))
    .flatMap((isActive) =>
      either
        .filter((isRedeemed) => isRedeemed === (redeemed ?? isRedeemed))
        .map((isRedeemed) => rankedOf(store, owner, isActive, isRedeemed)),
    );
  return merged(
    wanted.map((name) => rowsOf<Key>({ partition: name, index: 'byRank' })),
    ({ sk }) => sk,
  );
};

/** The cards of a customer that pass the filter. */
export const listGiftCards = (store: string, owner: string, filter: GiftCardFilter): Source<GiftCard> =>
  loaded(
    ownersCards(store, owner, filter),
    ({ sk }) => sk,
    async (rows) => {
      const cards = await getMany<GiftCardItem>(rows);
      // An index may be behind the table.
      return cards.filter(
        ({ active, redeemed }) => active === (filter.active ?? active) && redeemed === (filter.redeemed ?? redeemed),
      );
    },
  );
