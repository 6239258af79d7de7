import * as z from 'zod';
import { route } from './route.ts';
import { boolean, integer, listOf, ownerUsername, pageQuery, queryBoolean, uuid } from './wire.ts';

const GiftCardResponse = z
  .object({
    id: uuid().describe('UUID of the gift card, in lower case.'),
    ownerUuid: uuid().describe('UUID of the owner, in lower case.'),
    ownerUsername: ownerUsername(),
    credit: z.int().describe('Balance of the card in L$.'),
    active: boolean().describe('Whether the card can be used.'),
    redeemed: boolean().describe('Whether the card was redeemed. No request sets it.'),
    transfer: boolean().describe('Whether the owner may give the card away.'),
    texture: uuid().nullable().describe('UUID of the texture that the card shows inworld; null: none.'),
    purchased: boolean().describe('Whether the card was bought. A granted card was not.'),
  })
  .meta({ id: 'GiftCardResponse' });

const UpdateGiftCardRequest = z
  .object({
    credit: integer(0).default(0).describe('The new balance of the card in L$. Left out: **0**.'),
    texture: uuid()
      .nullable()
      .default(null)
      .describe('UUID of the texture that the card shows inworld. Left out or null: none.'),
    transfer: boolean().default(false).describe('Whether the owner may give the card away. Left out: false.'),
    active: boolean()
      .default(true)
      .describe('Whether the card can be used. Left out: **true**, also where the card was disabled.'),
  })
  .meta({ id: 'UpdateGiftCardRequest' });

const GrantGiftCardRequest = z
  .object({
    credit: integer(1).describe('Balance of the card in L$.'),
    // Both spellings of "no texture" are taken, as the replacing PUT takes them.
    texture: uuid().nullable().default(null).describe('UUID of the texture that the card shows inworld; null: none.'),
    transfer: boolean().default(false).describe('Whether the owner may give the card away.'),
  })
  .meta({ id: 'GrantGiftCardRequest' });

const filters = {
  active: queryBoolean().optional().describe('Only active (true) or inactive (false) cards.'),
  redeemed: queryBoolean().optional().describe('Only redeemed (true) or unredeemed (false) cards.'),
};

export type GiftCard = z.output<typeof GiftCardResponse>;
/** The fields of a gift card that a request sets; PUT replaces all of them. */
export type GiftCardFields = z.output<typeof UpdateGiftCardRequest>;
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
