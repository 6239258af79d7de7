import { type FieldTexts, list, ownerUsername, uuidOf } from './common.ts';

export const giftCardFields: FieldTexts = {
  GiftCardResponse: {
    id: uuidOf('the gift card'),
    ownerUuid: uuidOf('the owner'),
    ownerUsername,
    credit: 'Balance of the card in L$.',
    active: 'Whether the card can be used.',
    redeemed: 'Whether the card was redeemed. No request sets it.',
    transfer: 'Whether the owner may give the card away.',
    texture: 'UUID of the texture that the card shows inworld; null: none.',
    purchased: 'Whether the card was bought. A granted card was not.',
  },
  GiftCardListResponse: list('Gift cards'),
  GrantGiftCardRequest: {
    credit: 'Balance of the card in L$.',
    texture: 'UUID of the texture that the card shows inworld; null: none.',
    transfer: 'Whether the owner may give the card away.',
  },
  UpdateGiftCardRequest: {
    credit: 'The new balance of the card in L$. Left out: **0**.',
    texture: 'UUID of the texture that the card shows inworld. Left out or null: none.',
    transfer: 'Whether the owner may give the card away. Left out: false.',
    active: 'Whether the card can be used. Left out: **true**, also where the card was disabled.',
  },
};
