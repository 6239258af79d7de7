import type { JsonSchema } from './schemas.ts';

/** What a field means; with what zod cannot say of its schema, where that is needed. */
export type FieldText = string | (JsonSchema & { description: string });

const timestamp = (description: string): FieldText => ({ description, format: 'date-time' });

const uuidOf = (what: string): string => `UUID of ${what}, in lower case.`;
const ownerUsername = 'Current username of the owner, in canonical form: `ada.lovelace`, or `ada` without a last name.';

const person = {
  uuid: uuidOf('the avatar'),
  username: 'Current username in canonical form: `ada.lovelace`, or `ada` without a last name.',
};

const balances = {
  credit: 'Regular store credit in L$, as it is stored: unlotted credit and open lots together.',
  restrictedCredit: 'Restricted store credit in L$, as it is stored: unlotted credit and open lots together.',
};

const couponFields = {
  code:
    'The code a customer types. Unique in the store, compared without case, answered as written. ' +
    'Surrounding blanks are trimmed. A code that is taken is refused with 400.',
  discount: 'What the customer saves, in percent of the price.',
  ownerProfit: "The owner's commission, in percent of the price.",
  active: 'Whether the coupon can be applied.',
  bloggersSync: 'A flag for the store’s blogger tools. The service keeps it and does nothing else with it.',
};

const list = (row: string) => ({
  data: `${row}, at most \`limit\`.`,
  pagination: 'Where this page stands in the list.',
});

const couponChoice = {
  code: 'The coupon, by its code (case is ignored). Send exactly one of `code`, `couponOwnerUuid` and `couponId`.',
  couponOwnerUuid:
    'The coupon, by the avatar who owns it: the newest usable (active, not expired) coupon of that owner. Not the nil UUID.',
  couponId: 'The coupon, by its id.',
  scope: '`0`: the whole store. `1`: a single product.',
  productId: 'The product. Required with `scope` 1; must be left out with `scope` 0.',
};

const permissions = {
  copy: 'The next owner may copy the item.',
  modify: 'The next owner may modify the item.',
  transfer: 'The next owner may give the item away.',
};

const itemName =
  'Name of the item in the dispenser’s contents: 1 to 63 printable ASCII characters without `|`. ' +
  'Left out: the product’s `name`, which then has to be such a name.';

const expiresAt: FieldText = {
  description:
    'When this credit expires: an ISO 8601 date-time with an offset, in the future. Left out: it never expires.',
  examples: ['2099-01-01T00:00:00Z'],
};

const categoryName = 'Name of the category. Need not be unique. Surrounding blanks are trimmed.';

/** The texts of all fields, by the schemas' names. A field without a text, or a text without a field, stops the generator. */
export const fieldTexts: Record<string, Record<string, FieldText>> = {
  CouponResponse: {
    id: uuidOf('the coupon'),
    code: 'The code, as it was written when the coupon was created or replaced.',
    active: couponFields.active,
    bloggersSync: couponFields.bloggersSync,
    couponOwnerUuid:
      'UUID of the owner: the avatar who receives the commission, not the customer who gets the discount. Fixed at creation.',
    couponOwnerUsername: ownerUsername,
    discount: couponFields.discount,
    ownerProfit: couponFields.ownerProfit,
    usesPerCustomer: 'How often one customer may use the coupon. `0`: without limit.',
    expiration: timestamp(
      'The coupon can be applied before this time. A coupon made through the API does not expire: `9999-12-31T23:59:59.999Z`.',
    ),
  },
  CouponListResponse: list('Coupons'),
  CreateCouponRequest: {
    ...couponFields,
    ownerIdentifier: 'The avatar who receives the commission, by username or UUID. Cannot be changed later.',
  },
  UpdateCouponRequest: couponFields,
  ApplyCouponRequest: {
    ...couponChoice,
    expiresInHours: 'Hours until the application lapses.',
  },
  RevokeCouponRequest: couponChoice,
  AppliedCouponResponse: {
    couponId: uuidOf('the coupon'),
    code: 'Code of the coupon, as it was written.',
    discount: couponFields.discount,
    scope:
      'What the discount is for. The request sends an integer: `0` is answered `store`, `1` is answered `product`.',
    productId: 'UUID of the product. Only with scope `product`.',
    customerUuid: uuidOf('the customer'),
    customerUsername: 'Current username of the customer, in canonical form.',
    expiresAt: timestamp('When the application lapses: the time of the request plus `expiresInHours`.'),
    replaced: 'Whether this overwrote an application still in force for the same customer and scope.',
  },
  RevokedCouponResponse: { revoked: 'Whether there was such an application. It is gone in either case.' },
  CustomerResponse: {
    ...person,
    ...balances,
    discount: 'Discount of this customer, in whole percent.',
    newsSubscriber: 'Whether the customer is subscribed to the news kiosk.',
    isBanned: 'Whether the store has banned the customer. A ban blocks no call of this API.',
  },
  CustomerListResponse: list('Customers'),
  UpdateCustomerRequest: {
    discount: 'Discount of this customer, in whole percent. Left out: stays as it is.',
    newsSubscriber: 'Subscription to the news kiosk. Left out: stays as it is.',
  },
  CustomerCreditResponse: { ...person, ...balances },
  SetCustomerCreditRequest: {
    credit: 'The new balance in L$, at most the credit limit of the deployment (1,000,000,000 unless set otherwise).',
    expiresAt,
  },
  IncrementCustomerCreditRequest: {
    delta: {
      description:
        'L$ to add, or to remove where negative. Not 0. The balance may not pass the credit limit (1,000,000,000 unless set otherwise), nor fall below 0.',
      not: { const: 0 },
    },
    expiresAt: {
      ...(expiresAt as JsonSchema),
      description:
        'When the added credit expires: an ISO 8601 date-time with an offset, in the future. Left out: it never expires. Not with a negative `delta`.',
    },
  },
  CustomerSpendResponse: {
    ...person,
    sum: { description: 'Lifetime spend in L$.', format: 'int64' },
    lastYearSum: { description: 'Spend of the 365 UTC days that end today, in L$.', format: 'int64' },
    totalOwned: 'Number of distinct products owned.',
  },
  BanCustomerRequest: {
    reason:
      'Why, for the store’s own records. A second ban with a reason replaces it, one without keeps it; lifting the ban deletes it.',
  },
  CustomerBanStateResponse: { ...person, isBanned: 'Whether the store has banned the customer, after this request.' },
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
  ProductResponse: {
    id: uuidOf('the product'),
    name: 'Name of the product.',
    price: 'Price in L$, without the discount.',
    activePrice: 'Price in L$ now: with the discount, where one runs. Percentages round half up.',
    image: 'UUID of the picture’s texture; the nil UUID: none.',
    bloggable: 'Whether bloggers may have the product.',
    active: 'Whether the product is sold. An inactive one is not listed and not delivered.',
    blockCredits: 'Whether store credit cannot pay for the product.',
    item: 'Name of the item in the dispenser’s contents that is given.',
    limited: 'Whether only `availableAmount` copies are sold.',
    availableAmount: 'Copies still to be sold, where `limited` is true.',
    permissions: 'What the next owner of the item may do. A declaration: the item inworld decides.',
    discount: 'The discount of the product. None: value 0, type 0, dates null.',
    description: 'Text for a shop page; may have several lines.',
    demoId: 'UUID of the product that is the demo of this one; null: none.',
    mpListing: 'Number of its listing on the outside marketplace; `0`: none. Only imports set it.',
    profitShares: 'Who gets which part of a sale. What is left goes to the store.',
  },
  ProductListResponse: list('Active products'),
  ProductPermissions: permissions,
  ProductDiscount: {
    value: 'Type 0: percent. Types 1 and 2: L$.',
    type: {
      description: 'DiscountType. `0`: percent off. `1`: flat amount off. `2`: the price is replaced by `value`.',
      enum: [0, 1, 2],
    },
    startDate: { description: 'When the discount begins; null: it has begun.', format: 'date-time' },
    endDate: {
      description: 'When the discount ends: it runs before this time; null: it has no end.',
      format: 'date-time',
    },
  },
  ProfitShare: {
    userUuid: uuidOf('the avatar'),
    percent: 'Part of the sale, in percent.',
  },
  ProductUpsertRequest: {
    name: 'Name of the product. Surrounding blanks are trimmed.',
    price: 'Price in L$, without the discount.',
    image: 'UUID of the picture’s texture; the nil UUID: none.',
    listed: 'Whether the store shows the product. A filter of the list; not returned.',
    bloggable: 'Whether bloggers may have the product.',
    permissions: {
      description: 'What the next owner of the item may do. Left out: copy only.',
      default: { copy: true, modify: false, transfer: false },
    },
    discount: {
      description: 'The discount of the product. Left out: none.',
      default: { value: 0, type: 0, startDate: null, endDate: null },
    },
    availableAmount: 'Copies to be sold, where `limited` is true.',
    limited: 'Whether only `availableAmount` copies are sold.',
    item: itemName,
    blockCredits: 'Whether store credit cannot pay for the product.',
    description: 'Text for a shop page; tabs and line ends are allowed.',
    profitShares: {
      description: 'Who gets which part of a sale: one row per user, at most 100 percent together. Left out: nobody.',
      default: [],
    },
    demoId: 'UUID of another product of the store that is the demo of this one; null: none.',
    active: 'Whether the product is sold. An inactive one is not listed and not delivered.',
  },
  ProductPermissionsRequest: permissions,
  ProductDiscountRequest: {
    value: {
      description: 'Type 0: percent, from 0 to 100. Types 1 and 2: a whole number of L$.',
      minimum: 0,
      maximum: 2_147_483_647,
    },
    type: 'DiscountType. `0`: percent off. `1`: flat amount off. `2`: the price is replaced by `value`.',
    startDate: 'When the discount begins: an ISO 8601 date-time with an offset; null: at once.',
    endDate: 'When the discount ends; null: never. Must be later than `startDate`.',
  },
  ProfitShareRequest: {
    username: 'The user, by name. `username` or `userUuid` must be there; both, if they are the same resident.',
    userUuid: 'The user, by avatar UUID.',
    percent: { description: 'Part of the sale, in percent: over 0.', not: { const: 0 } },
  },
  DeliverProductRequest: {
    recipientIdentifier: 'The avatar who gets the item, by username or UUID.',
    message:
      'A note that is sent to the recipient with the item: at most 1,023 **bytes** of UTF-8; tabs and line ends are allowed.',
  },
  ProductDeliveryResponse: {
    productId: uuidOf('the product'),
    recipientUuid: uuidOf('the recipient'),
    recipientUsername: 'Current username of the recipient, in canonical form.',
    queued: 'Always true: the queue has the delivery. The item follows.',
    message: 'The note that goes with the item; empty: none.',
  },
  CategoryResponse: {
    id: uuidOf('the category'),
    name: 'Name of the category.',
    productCount: 'Number of products in the category, inactive ones included.',
  },
  CategoryListResponse: list('Categories'),
  CreateCategoryRequest: { name: categoryName },
  UpdateCategoryRequest: { name: categoryName },
  PutDispenserRequest: {
    url: 'The address that the region gave the script, at most 500 characters: `https`, on a host of the virtual world’s simulators.',
    region: 'Name of the region that the dispenser is in, for the operator.',
    items: 'Names of the items in the dispenser, for the operator. At most 1,000.',
  },
  DispenserResponse: {
    url: 'The address that deliveries are now sent to.',
    region: 'Name of the region.',
    secret: 'What requests to the dispenser are signed with. The same for every registration of a store. Keep it.',
    registeredAt: timestamp('When this registration was made.'),
  },
  Pagination: {
    nextCursor: 'Send it as `cursor` for the next page. Null: this is the last page.',
    previousCursor: 'Send it as `cursor` for the page before. Null: this is the first page.',
    limit: 'The most rows a page has, as asked for.',
  },
};
