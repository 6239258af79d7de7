import * as z from 'zod';
import { nilUuid } from '../identifier.ts';
import { DiscountType } from '../price.ts';
import { discountFaults, discountWords, maxShares, productFaults, sharesWords, shareWords } from '../product-rules.ts';
import { timestamp } from './timestamp.ts';
import {
  acrossFields,
  avatarUuid,
  boolean,
  identifier,
  integer,
  itemForm,
  itemName,
  maxInteger,
  maxLength,
  number,
  text,
  uuid,
  withText,
} from './wire.ts';

/** The rights of an item's next owner, as requests and answers describe them. */
export const permissions = {
  copy: () => boolean().describe('The next owner may copy the item.'),
  modify: () => boolean().describe('The next owner may modify the item.'),
  transfer: () => boolean().describe('The next owner may give the item away.'),
};

const object = { error: 'must be an object' };

const PermissionsRequest = z
  .object(
    {
      copy: permissions.copy().default(true),
      modify: permissions.modify().default(false),
      transfer: permissions.transfer().default(false),
    },
    object,
  )
  .meta({ id: 'ProductPermissionsRequest' });

const DiscountRequest = z
  .object(
    {
      value: number(discountWords)
        .default(0)
        .describe('Type 0: percent, from 0 to 100. Types 1 and 2: a whole number of L$.')
        .meta({ minimum: 0, maximum: maxInteger }),
      type: z
        .literal([0, 1, 2], { error: 'must be 0 (percent), 1 (flat amount off) or 2 (override price)' })
        .default(DiscountType.percent)
        .describe('DiscountType. `0`: percent off. `1`: flat amount off. `2`: the price is replaced by `value`.'),
      startDate: timestamp()
        .nullable()
        .default(null)
        .describe('When the discount begins: an ISO 8601 date-time with an offset. Left out or null: at once.'),
      endDate: timestamp()
        .nullable()
        .default(null)
        .describe('When the discount ends. Left out or null: never. Must be later than `startDate`.'),
    },
    object,
  )
  .check(acrossFields(discountFaults))
  .meta({
    id: 'ProductDiscountRequest',
    allOf: [
      {
        anyOf: [
          { properties: { type: { type: 'integer', enum: [0] }, value: { type: 'number', maximum: 100 } } },
          { properties: { type: { type: 'integer', enum: [1, 2] }, value: { type: 'integer' } }, required: ['type'] },
        ],
      },
    ],
  });

const ProfitShareRequest = z
  .object(
    {
      username: identifier()
        .optional()
        .describe('The user, by name. `username` or `userUuid` must be there; both, if they are the same resident.'),
      userUuid: avatarUuid().optional().describe('The user, by avatar UUID.'),
      percent: number(shareWords)
        .gt(0, { error: shareWords })
        .max(100, { error: shareWords })
        .describe('Part of the sale, in percent: over 0.'),
    },
    object,
  )
  .check(
    acrossFields(({ username, userUuid }, report) => {
      if (username === undefined && userUuid === undefined)
        report(undefined, 'must name its user by username or userUuid');
    }),
  )
  .meta({
    id: 'ProfitShareRequest',
    allOf: [{ anyOf: [withText('username', maxLength.username), withText('userUuid', maxLength.uuid)] }],
  });

/** The body that creates a product and the one that replaces it. */
export const ProductUpsertRequest = z
  .object({
    name: text({ min: 1, max: maxLength.name }).describe(
      'Name of the product: at most 255 characters. Surrounding blanks are trimmed.',
    ),
    price: integer(0).describe('Price in L$, without the discount.'),
    image: uuid().default(nilUuid).describe('UUID of the picture’s texture; the nil UUID: none.'),
    listed: boolean()
      .default(true)
      .describe('True if the store shows the product. A filter of the list; not returned.'),
    bloggable: boolean().default(false).describe('True if bloggers may have the product.'),
    permissions: PermissionsRequest.prefault({})
      .describe('The rights of the item’s next owner. Left out: copy only.')
      .meta({ default: { copy: true, modify: false, transfer: false } }),
    discount: DiscountRequest.prefault({})
      .describe('The discount of the product. Left out: none.')
      .meta({ default: { value: 0, type: 0, startDate: null, endDate: null } }),
    availableAmount: integer(0).default(0).describe('Copies to be sold, where `limited` is true.'),
    limited: boolean().default(false).describe('True if only `availableAmount` copies are sold.'),
    item: itemName()
      .optional()
      .describe(
        'Name of the item in the dispenser’s contents: 1 to 63 printable ASCII characters without `|`. ' +
          'Left out: the product’s `name`, which then has to be such a name.',
      ),
    blockCredits: boolean().default(false).describe('True if store credit cannot pay for the product.'),
    description: text({ min: 0, max: maxLength.description, multiline: true })
      .default('')
      .describe('Text for a shop page: at most 4,096 characters; tabs and line ends are allowed.'),
    profitShares: z
      .array(ProfitShareRequest, { error: sharesWords })
      .max(maxShares, { error: sharesWords })
      .prefault([])
      .describe(
        'The residents who get a part of each sale: one row per user, at most 100 rows and 100 percent together. Left out: nobody.',
      ),
    demoId: uuid()
      .nullable()
      .default(null)
      .describe('UUID of another product of the store that is the demo of this one. Left out or null: none.'),
    active: boolean()
      .default(true)
      .describe('True while the product is sold. An inactive one is not listed and not delivered.'),
  })
  .check(acrossFields(productFaults))
  .transform(({ item, ...product }) => ({ ...product, item: item ?? product.name }))
  .meta({
    id: 'ProductUpsertRequest',
    allOf: [
      {
        anyOf: [
          withText('item', maxLength.item),
          { properties: { name: { type: 'string', maxLength: maxLength.item, pattern: itemForm } } },
        ],
      },
    ],
  });

const messageWords = 'must be at most 1023 bytes of UTF-8 without control characters other than tabs and line ends';

/** The note that goes with a delivery. */
export const message = () =>
  text({
    min: 0,
    max: maxLength.message,
    multiline: true,
    also: { test: (value) => Buffer.byteLength(value) <= maxLength.message, words: messageWords },
  })
    .default('')
    .describe(
      'A note that is sent to the recipient with the item: at most 1,023 **bytes** of UTF-8; tabs and line ends are allowed.',
    );
