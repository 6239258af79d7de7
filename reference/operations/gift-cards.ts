import type { OperationText } from '../operation-texts.ts';

export const giftCardTexts: Record<string, OperationText> = {
  'gift-cards/list-gift-cards': {
    description: 'Gift cards that a customer owns. Filters combine with AND.',
    parameters: { identifier: 'vera.vendor', limit: 1, active: true, redeemed: false },
    response: {
      data: [
        {
          id: '00000005-dede-4ede-8ede-000000000001',
          ownerUuid: '00000002-dede-4ede-8ede-000000000001',
          ownerUsername: 'vera.vendor',
          credit: 500,
          active: true,
          redeemed: false,
          transfer: false,
          texture: null,
          purchased: false,
        },
      ],
      pagination: {
        nextCursor:
          'FxFMlFXuqNCoE6okVVihz26TCJpK0mihQ8ZpUMiAmGATvpzFTzPBf6W1RPYStwG_nSIKSrggpGusKSePI8glTC0ROt0pNwXjNr2i34mSN3UX_XZi7t1zSudZKR8czRJmrDDKk7ILj4cUcuMLCMrS',
        previousCursor: null,
        limit: 1,
      },
    },
  },
  'gift-cards/get-gift-card': {
    description: 'One gift card, active or not.',
    parameters: { id: '00000005-dede-4ede-8ede-000000000004' },
    response: {
      id: '00000005-dede-4ede-8ede-000000000004',
      ownerUuid: '00000002-dede-4ede-8ede-000000000001',
      ownerUsername: 'vera.vendor',
      credit: 1000,
      active: true,
      redeemed: false,
      transfer: false,
      texture: '00000006-dede-4ede-8ede-000000000001',
      purchased: true,
    },
  },
  'gift-cards/update-gift-card': {
    description:
      '**Replaces** balance, texture, transfer and active: what you leave out takes its default, so a body without `credit` sets ' +
      'the balance to 0. The owner, `redeemed` and `purchased` stay.',
    parameters: { id: '00000005-dede-4ede-8ede-000000000005' },
    request: { credit: 300, texture: null, transfer: true, active: true },
    response: {
      id: '00000005-dede-4ede-8ede-000000000005',
      ownerUuid: '00000002-dede-4ede-8ede-000000000001',
      ownerUsername: 'vera.vendor',
      credit: 300,
      active: true,
      redeemed: false,
      transfer: true,
      texture: null,
      purchased: false,
    },
    refused: { request: { credit: 300, texture: 'none' }, errors: ['texture must be a UUID.'] },
  },
  'gift-cards/disable-gift-card': {
    description: 'Makes a gift card unusable. Idempotent. A PUT with `active` true reverses it.',
    parameters: { id: '00000005-dede-4ede-8ede-000000000001' },
    response: {
      id: '00000005-dede-4ede-8ede-000000000001',
      ownerUuid: '00000002-dede-4ede-8ede-000000000001',
      ownerUsername: 'vera.vendor',
      credit: 500,
      active: false,
      redeemed: false,
      transfer: false,
      texture: null,
      purchased: false,
    },
  },
  'gift-cards/grant-gift-card': {
    description: 'Gives a customer a new gift card. This is the only way to create one.',
    parameters: { identifier: 'faye' },
    request: { credit: 500, texture: '00000006-dede-4ede-8ede-000000000001', transfer: true },
    response: {
      id: '01a1fe7f-eb95-7311-a8fb-249dde519854',
      ownerUuid: '00000001-dede-4ede-8ede-000000000024',
      ownerUsername: 'faye',
      credit: 500,
      active: true,
      redeemed: false,
      transfer: true,
      texture: '00000006-dede-4ede-8ede-000000000001',
      purchased: false,
    },
    refused: { request: { credit: 0 }, errors: ['credit must be a whole number from 1 to 2147483647.'] },
  },
};
