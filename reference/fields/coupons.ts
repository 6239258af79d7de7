import { type FieldTexts, list, ownerUsername, timestamp, uuidOf } from './common.ts';

const described = {
  code:
    'The code a customer types. Unique in the store, compared without case, answered as written. ' +
    'Surrounding blanks are trimmed. A code that is taken is refused with 400.',
  discount: 'What the customer saves, in percent of the price.',
  ownerProfit: "The owner's commission, in percent of the price.",
  active: 'Whether the coupon can be applied.',
  bloggersSync: 'A flag for the store’s blogger tools. The service keeps it and does nothing else with it.',
};

const choice = {
  code: 'The coupon, by its code (case is ignored). Send exactly one of `code`, `couponOwnerUuid` and `couponId`.',
  couponOwnerUuid:
    'The coupon, by the avatar who owns it: the newest usable (active, not expired) coupon of that owner. Not the nil UUID.',
  couponId: 'The coupon, by its id.',
  scope: '`0`: the whole store. `1`: a single product.',
  productId: 'The product. Required with `scope` 1; must be left out with `scope` 0.',
};

export const couponFields: FieldTexts = {
  CouponResponse: {
    id: uuidOf('the coupon'),
    code: 'The code, as it was written when the coupon was created or replaced.',
    active: described.active,
    bloggersSync: described.bloggersSync,
    couponOwnerUuid:
      'UUID of the owner: the avatar who receives the commission, not the customer who gets the discount. Fixed at creation.',
    couponOwnerUsername: ownerUsername,
    discount: described.discount,
    ownerProfit: described.ownerProfit,
    usesPerCustomer: 'How often one customer may use the coupon. `0`: without limit.',
    expiration: timestamp(
      'The coupon can be applied before this time. A coupon made through the API does not expire: `9999-12-31T23:59:59.999Z`.',
    ),
  },
  CouponListResponse: list('Coupons'),
  CreateCouponRequest: {
    ...described,
    ownerIdentifier: 'The avatar who receives the commission, by username or UUID. Cannot be changed later.',
  },
  UpdateCouponRequest: described,
  ApplyCouponRequest: {
    ...choice,
    expiresInHours: 'Hours until the application lapses.',
  },
  RevokeCouponRequest: choice,
  AppliedCouponResponse: {
    couponId: uuidOf('the coupon'),
    code: 'Code of the coupon, as it was written.',
    discount: described.discount,
    scope:
      'What the discount is for. The request sends an integer: `0` is answered `store`, `1` is answered `product`.',
    productId: 'UUID of the product. Only with scope `product`.',
    customerUuid: uuidOf('the customer'),
    customerUsername: 'Current username of the customer, in canonical form.',
    expiresAt: timestamp('When the application lapses: the time of the request plus `expiresInHours`.'),
    replaced: 'Whether this overwrote an application still in force for the same customer and scope.',
  },
  RevokedCouponResponse: { revoked: 'Whether there was such an application. It is gone in either case.' },
};
