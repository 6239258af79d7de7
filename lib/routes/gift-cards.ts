import * as z from 'zod';
import { CustomerCreditResponse, expiresAt } from './credit.ts';
import { route } from './route.ts';
import { boolean, identifier, integer, listOf, ownerUsername, pageQuery, queryBoolean, remarks, uuid } from './wire.ts';

export const GiftCardResponse = z
  .object({
    id: uuid().describe('UUID of the gift card, in lower case.'),
    ownerUuid: uuid().describe('UUID of the owner, in lower case.'),
    ownerUsername: ownerUsername(),
    credit: z.int().describe('Balance of the card in L$.'),
    active: boolean().describe('True while the card can be used.'),
    redeemed: boolean().describe('True once the card was redeemed. Redeeming sets it, and no PUT.'),
    transfer: boolean().describe('True if the owner may give the card away.'),
    texture: uuid().nullable().describe('UUID of the texture that the card shows inworld; null: none.'),
    purchased: boolean().describe('True if the card was bought. A granted card was not.'),
  })
  .meta({ id: 'GiftCardResponse' });

const UpdateGiftCardRequest = z
  .object({
    credit: integer(0).default(0).describe('The new balance of the card in L$. Left out: **0**.'),
    texture: uuid()
      .nullable()
      .default(null)
      .describe('UUID of the texture that the card shows inworld. Left out or null: none.'),
    transfer: boolean().default(false).describe('True if the owner may give the card away. Left out: false.'),
    active: boolean()
      .default(true)
      .describe('True if the card can be used. Left out: **true**, also where the card was disabled.'),
  })
  .meta({ id: 'UpdateGiftCardRequest' });

const GrantGiftCardRequest = z
  .object({
    credit: integer(1).describe('Balance of the card in L$.'),
    // Both spellings of "no texture" are accepted, as in the PUT that replaces a card.
    texture: uuid()
      .nullable()
      .default(null)
      .describe('UUID of the texture that the card shows inworld. Left out or null: none.'),
    transfer: boolean().default(false).describe('True if the owner may give the card away.'),
    ...remarks,
  })
  .meta({ id: 'GrantGiftCardRequest' });

const RedeemGiftCardRequest = z
  .object({
    identifier: identifier().describe(
      'The resident who gets the credit, by username or avatar UUID: the owner, or anybody where the card has `transfer`.',
    ),
    expiresAt: expiresAt().describe(
      'When this credit expires: an ISO 8601 date-time with an offset, in the future. Left out: it never expires.',
    ),
    ...remarks,
  })
  .meta({ id: 'RedeemGiftCardRequest' });

const RedeemedGiftCardResponse = z
  .object({
    giftCard: GiftCardResponse.describe('The card: redeemed, with nothing left on it.'),
    credit: CustomerCreditResponse.describe('Both balances of the resident after it.'),
  })
  .meta({ id: 'RedeemedGiftCardResponse' });

const RedeemOwnGiftCardsRequest = z.object(remarks).meta({ id: 'RedeemOwnGiftCardsRequest' });

export const RedeemedCardsResponse = z
  .object({
    cards: z.int().describe('The number of cards that were redeemed: at most 20.'),
    amount: z.int().describe('L$ of credit that came of them.'),
    credit: CustomerCreditResponse.describe('Both balances of the customer after it.'),
    more: boolean().describe('True if the customer has more cards that can be redeemed.'),
  })
  .meta({ id: 'RedeemedCardsResponse' });

const filters = {
  active: queryBoolean().optional().describe('Only active (true) or inactive (false) cards.'),
  redeemed: queryBoolean().optional().describe('Only redeemed (true) or unredeemed (false) cards.'),
};

export type GiftCard = z.output<typeof GiftCardResponse>;
/** The fields of a gift card that a request sets; PUT replaces all of them. */
export type GiftCardFields = z.output<typeof UpdateGiftCardRequest>;
export type GrantRequest = z.output<typeof GrantGiftCardRequest>;
export type RedeemRequest = z.output<typeof RedeemGiftCardRequest>;
export type RedeemedGiftCard = z.input<typeof RedeemedGiftCardResponse>;
export type RedeemedCards = z.input<typeof RedeemedCardsResponse>;
export type GiftCardFilter = z.output<z.ZodObject<typeof filters>>;

export const listGiftCards = route('GET /v1/customers/{identifier}/giftcards', {
  id: 'gift-cards/list-gift-cards',
  summary: "List a customer's gift cards",
  scope: 'giftcards:read',
  query: z.object({ ...pageQuery, ...filters }),
  response: listOf('GiftCardListResponse', 'Gift cards', GiftCardResponse),
  reads: ['GIFTCARD'],
  resolves: true,
});

export const getGiftCard = route('GET /v1/giftcards/{id}', {
  id: 'gift-cards/get-gift-card',
  summary: 'Read a gift card',
  scope: 'giftcards:read',
  response: GiftCardResponse,
  tagged: GiftCardResponse,
  reads: ['GIFTCARD'],
});

export const updateGiftCard = route('PUT /v1/giftcards/{id}', {
  id: 'gift-cards/update-gift-card',
  summary: 'Replace a gift card',
  scope: 'giftcards:write',
  body: UpdateGiftCardRequest,
  response: GiftCardResponse,
  tagged: GiftCardResponse,
  writes: ['GIFTCARD'],
});

export const disableGiftCard = route('POST /v1/giftcards/{id}/actions/disable', {
  id: 'gift-cards/disable-gift-card',
  summary: 'Disable a gift card',
  scope: 'giftcards:write',
  response: GiftCardResponse,
  tagged: GiftCardResponse,
  writes: ['GIFTCARD'],
});

export const redeemGiftCard = route('POST /v1/giftcards/{id}/actions/redeem', {
  id: 'gift-cards/redeem-gift-card',
  summary: 'Redeem a gift card for credit',
  scope: 'giftcards:redeem',
  body: RedeemGiftCardRequest,
  response: RedeemedGiftCardResponse,
  resolves: true,
  writes: ['GIFTCARD', 'CUSTOMER', 'LOT'],
  extension: true,
});

export const redeemOwnCards = route('POST /v1/customers/{identifier}/giftcards/actions/redeem', {
  id: 'gift-cards/redeem-own-cards',
  summary: "Redeem a customer's own gift cards for credit",
  scope: 'giftcards:redeem',
  body: RedeemOwnGiftCardsRequest,
  bodyOptional: true,
  response: RedeemedCardsResponse,
  resolves: true,
  writes: ['GIFTCARD', 'CUSTOMER', 'LOT'],
  extension: true,
});

export const grantGiftCard = route('POST /v1/customers/{identifier}/actions/grant-gift-card', {
  id: 'gift-cards/grant-gift-card',
  summary: 'Grant a gift card to a customer',
  scope: 'giftcards:write',
  body: GrantGiftCardRequest,
  response: GiftCardResponse,
  tagged: GiftCardResponse,
  resolves: true,
  writes: ['GIFTCARD', 'CUSTOMER'],
});
