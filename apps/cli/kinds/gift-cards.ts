import { findCustomerItem } from '../../../lib/avatars/customers.ts';
import { findResident } from '../../../lib/avatars/residents.ts';
import { type GiftCardItem, giftCardItem, listStoreCards } from '../../../lib/catalogue/gift-cards.ts';
import type { Remarks } from '../../../lib/credit/state.ts';
import { giftCardImporter } from '../../../lib/operator/imports/gift-cards.ts';
import { updateGiftCard } from '../../../lib/routes/gift-cards.ts';
import { identifier, integer } from '../../../lib/routes/wire.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { grouped } from '../terminal/output.ts';
import { type Check, forEvery, itemsOf, withOwners } from './audit.ts';
import { columns, flag, idHelp, optionalId, rowsFrom } from './columns.ts';
import type { Kind } from './kind.ts';
import { matching, personal } from './personal.ts';
import { withoutTexts } from './reason-columns.ts';

const card = updateGiftCard.body.shape;

const cardColumns = columns({
  id: ['text', optionalId, idHelp],
  owner: ['person', identifier(), 'the owner, by UUID or username'],
  credit: ['integer', integer(0), 'the credit on it, in whole L$'],
  active: ['boolean', card.active, 'whether it can be used'],
  redeemed: ['boolean', flag, 'whether it has been used'],
  transfer: ['boolean', card.transfer, 'whether it may be given away'],
  texture: ['text', card.texture, "its texture's UUID; empty: none"],
  purchased: ['boolean', flag, 'whether it was bought, not granted'],
});

const cardDefaults = new Map(cardColumns.map(({ name, check }) => [name, check.safeParse(undefined).data]));

/** An avatar's own cards, and other people's cards that they redeemed. */
const findCards = (store: string, uuid: string): Promise<GiftCardItem[]> =>
  matching(listStoreCards(store), (card) => card.ownerUuid === uuid || card.redeemedFor === uuid);

export const findOwnCards = async (store: string, uuid: string): Promise<GiftCardItem[]> =>
  (await findCards(store, uuid)).filter((card) => card.ownerUuid === uuid);

/** Without a known name, a customer's username is their UUID. Such a customer can own a card. */
const isNamelessCustomer = async (store: string, uuid: string): Promise<boolean> =>
  (await findCustomerItem(store, uuid))?.username === uuid;

/** A redeemed card has no credit, unless it was imported. A card whose sale was refunded is not active. */
const overFaults = ({ id, redeemed, credit, told, active, refundedAt }: GiftCardItem): string[] => [
  ...(redeemed && credit > 0 && !told?.redeemed
    ? [`gift card ${id}: is redeemed, and has L$ ${grouped(credit)}.`]
    : []),
  ...(active && refundedAt !== undefined ? [`gift card ${id}: is active, though its sale was refunded.`] : []),
];

/** Checks the cards among raw items of one store's table. */
export const auditCards = (items: readonly Key[]): string[] =>
  itemsOf<GiftCardItem>(items, '#GIFTCARD').flatMap(overFaults);

/** A gift card's owner is a resident, or a customer without a known name. A card that has ended gives no credit. */
export const checkGiftCards: Check = (store, listener) =>
  forEvery(
    withOwners(store, listStoreCards(store), ({ ownerUuid }) => ownerUuid),
    listener,
    async ([card, owner]) => {
      const { id, ownerUuid } = card;
      const isOwned =
        owner || (await isNamelessCustomer(store, ownerUuid)) || (await findResident(store, { uuid: ownerUuid }));
      const ownerFaults = isOwned ? [] : [`gift card ${id}: its owner ${ownerUuid} is no resident.`];
      return [...ownerFaults, ...overFaults(card)];
    },
  );

export const giftCards: Kind = {
  file: {
    name: 'giftcards',
    summary: 'gift cards, including redeemed and purchased ones',
    columns: cardColumns,
    id: {
      // A missing column makes the same id as a column with the default, since both mean the same card.
      from: ({ id: _, owner, ...values }, uuidOf) => {
        const said = Object.entries(values).filter(([name, value]) => value !== cardDefaults.get(name));
        return JSON.stringify([uuidOf(owner), said.sort()]);
      },
      repeats: () => true,
    },
    importer: () => giftCardImporter,
    rows: (store) => rowsFrom(listStoreCards(store), 'sk', (item) => ({ ...item, owner: item.ownerUuid })),
  },
  personal: [
    personal<GiftCardItem & Remarks>({
      words: ['gift card', 'gift cards'],
      effect: 'pseudonym; reason and reference go',
      isUpdated: true,
      find: findCards,
      blocker: ({ id, ownerUuid, credit, redeemed, refundedAt }, { uuid }) =>
        ownerUuid === uuid && credit > 0 && !redeemed && refundedAt === undefined
          ? `The gift card ${id} holds L$ ${grouped(credit)}. Redeem it (POST /v1/giftcards/${id}/actions/redeem), or set its credit to 0 (PUT /v1/giftcards/${id}).`
          : undefined,
      kept: (card, { store, uuid, pseudonym }) => {
        const { id, redeemed, purchased } = card;
        const kept = withoutTexts(card);
        const owner = { uuid: pseudonym, username: pseudonym };
        return {
          ...kept,
          ...(card.ownerUuid === uuid && giftCardItem(store, owner, kept, { id, redeemed, purchased })),
          ...(card.redeemedFor === uuid && { redeemedFor: pseudonym }),
        };
      },
    }),
  ],
  audit: [
    {
      what: 'gift cards',
      check: checkGiftCards,
      holds: 'each owner is a resident; a redeemed card has no credit, one of a refunded sale is not active',
    },
  ],
};
