import type { OperationText } from '../operation-text.ts';

export const giftCardTexts: Record<string, OperationText> = {
  'gift-cards/list-gift-cards': {
    description: 'Gift cards that a customer owns. Filters combine with AND.',
    parameters: { identifier: 'vera.vendor', limit: 1, active: true, redeemed: false },
  },
  'gift-cards/get-gift-card': {
    description: 'One gift card, active or not.',
    parameters: { id: '00000005-dede-4ede-8ede-000000000004' },
  },
  'gift-cards/update-gift-card': {
    description:
      '**Replaces** balance, texture, transfer and active: a field that you leave out takes its default, so a body without `credit` sets ' +
      'the balance to 0. The owner, `redeemed` and `purchased` stay.',
    parameters: { id: '00000005-dede-4ede-8ede-000000000005' },
    request: { credit: 300, texture: null, transfer: true, active: true },
    refused: { credit: 300, texture: 'none' },
  },
  'gift-cards/disable-gift-card': {
    description: 'Makes a gift card unusable. Idempotent. A PUT with `active` true reverses it.',
    parameters: { id: '00000005-dede-4ede-8ede-000000000001' },
  },
  'gift-cards/redeem-gift-card': {
    description:
      'Moves the credit of a card to the regular credit of a resident, all of it and once: the card becomes `redeemed` with a balance of 0. ' +
      'Refused for a card that is inactive, redeemed or empty, for the card of somebody else unless it has `transfer`, and where the ' +
      'balance would pass the credit limit. A card that was redeemed here takes no PUT and cannot be disabled.',
    parameters: { id: '00000005-dede-4ede-8ede-000000000004' },
    request: { identifier: 'vera.vendor', expiresAt: '2099-01-01T00:00:00Z', reference: 'Counter 2' },
    refused: { identifier: 'nobody.resident' },
  },
  'gift-cards/grant-gift-card': {
    description:
      'Gives a customer a new gift card. This is the only way to create one. No answer shows `reason` and `reference`.',
    parameters: { identifier: 'faye' },
    request: { credit: 500, texture: '00000006-dede-4ede-8ede-000000000001', transfer: true },
    refused: { credit: 0 },
  },
  'gift-cards/redeem-own-cards': {
    description:
      '**An extension of this service, beyond the contract.** Moves the credit of all cards that a customer owns and can redeem to their ' +
      'permanent regular credit at once: of 20 at the most, in the order of their ids, and `more` says whether others are left. All or ' +
      'nothing: 400 where the balance would pass the credit limit. A customer without such cards is answered 0.',
    parameters: { identifier: 'faye' },
    request: { reference: 'Counter 2' },
    refused: { reference: 'Two\nlines' },
  },
};
