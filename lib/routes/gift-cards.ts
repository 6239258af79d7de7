import * as z from 'zod';
import { route } from './route.ts';
import { boolean, identifierPath, idPath, integer, listOf, noQuery, pageQuery, queryBoolean, uuid } from './wire.ts';

const GiftCardResponse = z.object({
  id: uuid(),
  ownerUuid: uuid(),
  ownerUsername: z.string(),
  credit: z.int(),
  active: boolean(),
  redeemed: boolean(),
  transfer: boolean(),
  texture: uuid().nullable(),
  purchased: boolean(),
});

export const listGiftCards = route({
  id: 'gift-cards/list-gift-cards',
  summary: "List a customer's gift cards",
  method: 'GET',
  path: '/v1/customers/{identifier}/giftcards',
  scope: 'giftcards:read',
  status: 200,
  problems: [400, 404],
  params: identifierPath,
  query: z.object({ ...pageQuery, active: queryBoolean().optional(), redeemed: queryBoolean().optional() }),
  response: listOf(GiftCardResponse),
  reads: ['GIFTCARD', 'RESIDENT', 'NAME'],
  writes: [],
});

export const getGiftCard = route({
  id: 'gift-cards/get-gift-card',
  summary: 'Read a gift card',
  method: 'GET',
  path: '/v1/giftcards/{id}',
  scope: 'giftcards:read',
  status: 200,
  problems: [404],
  params: idPath,
  query: noQuery,
  response: GiftCardResponse,
  reads: ['GIFTCARD'],
  writes: [],
});

export const updateGiftCard = route({
  id: 'gift-cards/update-gift-card',
  summary: 'Replace a gift card',
  method: 'PUT',
  path: '/v1/giftcards/{id}',
  scope: 'giftcards:write',
  status: 200,
  problems: [400, 404],
  params: idPath,
  query: noQuery,
  body: z.object({
    credit: integer(0).default(0),
    texture: uuid().nullable().default(null),
    transfer: boolean().default(false),
    active: boolean().default(true),
  }),
  response: GiftCardResponse,
  reads: [],
  writes: ['GIFTCARD'],
});

export const disableGiftCard = route({
  id: 'gift-cards/disable-gift-card',
  summary: 'Disable a gift card',
  method: 'POST',
  path: '/v1/giftcards/{id}/actions/disable',
  scope: 'giftcards:write',
  status: 200,
  problems: [400, 404],
  params: idPath,
  query: noQuery,
  response: GiftCardResponse,
  reads: [],
  writes: ['GIFTCARD'],
});

export const grantGiftCard = route({
  id: 'gift-cards/grant-gift-card',
  summary: 'Grant a gift card to a customer',
  method: 'POST',
  path: '/v1/customers/{identifier}/actions/grant-gift-card',
  scope: 'giftcards:write',
  status: 200,
  problems: [400, 404],
  params: identifierPath,
  query: noQuery,
  body: z.object({
    credit: integer(1),
    // Both spellings of "no texture" are taken, as the replacing PUT takes them.
    texture: uuid().nullable().default(null),
    transfer: boolean().default(false),
  }),
  response: GiftCardResponse,
  reads: ['RESIDENT', 'NAME'],
  writes: ['GIFTCARD', 'CUSTOMER'],
});
