import { type FieldTexts, list, uuidOf } from './common.ts';

const permissions = {
  copy: 'The next owner may copy the item.',
  modify: 'The next owner may modify the item.',
  transfer: 'The next owner may give the item away.',
};

const itemName =
  'Name of the item in the dispenser’s contents: 1 to 63 printable ASCII characters without `|`. ' +
  'Left out: the product’s `name`, which then has to be such a name.';

export const productFields: FieldTexts = {
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
      description:
        'Who gets which part of a sale: one row per user, at most 100 rows and 100 percent together. Left out: nobody.',
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
    percent: 'Part of the sale, in percent: over 0.',
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
};
