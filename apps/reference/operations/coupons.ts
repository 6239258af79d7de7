import type { OperationText } from '../operation-text.ts';

const choosing =
  'Name the coupon by exactly one of `code`, `couponOwnerUuid` and `couponId`. `productId` goes with `scope` 1 and only with it.';

export const couponTexts: Record<string, OperationText> = {
  'coupons/list-owner-coupons': {
    description: 'Coupons whose commission goes to this avatar, active or not. 404 where there is no such resident.',
    parameters: { identifier: 'partner.builder', limit: 1 },
  },
  'coupons/list-coupons': {
    description: 'All coupons of the store, expired ones included.',
    parameters: { limit: 1, active: true },
  },
  'coupons/get-coupon': {
    description: 'One coupon, active or not.',
    parameters: { id: '00000004-dede-4ede-8ede-000000000001' },
  },
  'coupons/create-coupon': {
    description:
      'Makes a coupon that does not expire and has no limit of uses. 400 for a code that another coupon of the store has, in ' +
      'any case, and for an owner who cannot be found.',
    request: { code: 'SPRING25', ownerIdentifier: 'ada.lovelace', discount: 25, ownerProfit: 5 },
    refused: { code: 'welcome10', ownerIdentifier: 'ada.lovelace' },
  },
  'coupons/update-coupon': {
    description:
      '**Replaces** the fields of a coupon: a field that you leave out takes its default, not its earlier value. The owner stays.',
    parameters: { id: '00000004-dede-4ede-8ede-000000000003' },
    request: { code: 'Partner15', discount: 15, ownerProfit: 7.5, active: false },
    refused: { discount: 150 },
  },
  'coupons/apply-coupon': {
    description:
      `Lets a customer have the discount of a coupon for some hours, in the whole store or on one product. ${choosing} A new ` +
      'application takes the place of an earlier one of the same customer and scope. 400 for an unknown customer or owner and ' +
      'for a coupon that is inactive or expired; 404 for an unknown coupon or product.',
    parameters: { identifier: 'ada.lovelace' },
    request: { code: 'partner20', scope: 1, productId: '00000003-dede-4ede-8ede-000000000003', expiresInHours: 48 },
    refused: { code: 'PartnerPaused', scope: 0 },
  },
  'coupons/revoke-coupon': {
    description:
      `Ends the application of a coupon. ${choosing} By \`couponOwnerUuid\`, of any coupon of that owner. Idempotent: where ` +
      'nothing is applied, `revoked` is false. 400 for an unknown customer or owner, 404 for an unknown coupon.',
    parameters: { identifier: 'nova' },
    request: { couponId: '00000004-dede-4ede-8ede-000000000001', scope: 0 },
    refused: { code: 'WELCOME10', couponId: '00000004-dede-4ede-8ede-000000000001', scope: 1 },
  },
  'coupons/list-customer-coupons': {
    description:
      '**An extension of this service, beyond the contract.** The coupons that count for a customer now: the application has not ' +
      'lapsed, and the coupon is active and has not expired. The one for the whole store comes first, then those for single ' +
      'products by product id. 404 where there is no such resident.',
    parameters: { identifier: 'nova' },
  },
};
