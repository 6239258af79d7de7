import * as z from 'zod';
import { message, ProductUpsertRequest, permissions } from './product-request.ts';
import { route } from './route.ts';
import {
  answerText,
  boolean,
  identifier,
  listOf,
  maxLength,
  pageQuery,
  queryBoolean,
  text,
  time,
  timeOrNull,
  uuid,
} from './wire.ts';

export const ProductPermissions = z
  .object({ copy: permissions.copy(), modify: permissions.modify(), transfer: permissions.transfer() })
  .meta({ id: 'ProductPermissions' });

const ProductDiscount = z
  .object({
    value: z.number().describe('Type 0: percent. Types 1 and 2: L$.'),
    type: z
      .int()
      .describe('DiscountType. `0`: percent off. `1`: flat amount off. `2`: the price is replaced by `value`.')
      .meta({ enum: [0, 1, 2] }),
    startDate: timeOrNull().describe('When the discount begins; null: it has begun.'),
    endDate: timeOrNull().describe('When the discount ends: it runs before this time; null: it has no end.'),
  })
  .meta({ id: 'ProductDiscount' });

const ProfitShare = z
  .object({
    userUuid: uuid().describe('UUID of the avatar, in lower case.'),
    percent: z.number().describe('Part of the sale, in percent.'),
  })
  .meta({ id: 'ProfitShare' });

export const ProductResponse = z
  .object({
    id: uuid().describe('UUID of the product, in lower case.'),
    name: answerText(maxLength.name).describe('Name of the product.'),
    price: z.int().describe('Price in L$, without the discount.'),
    activePrice: z.int().describe('Price in L$ now: with the discount, where one runs. Percentages round half up.'),
    image: uuid().describe('UUID of the picture’s texture; the nil UUID: none.'),
    bloggable: boolean().describe('True if bloggers may have the product.'),
    active: boolean().describe('True while the product is sold. An inactive one is not listed and not delivered.'),
    blockCredits: boolean().describe('True if store credit cannot pay for the product.'),
    item: answerText(maxLength.item).describe('Name of the item in the dispenser’s contents that is given.'),
    limited: boolean().describe('True if only `availableAmount` copies are sold.'),
    availableAmount: z.int().describe('Copies still to be sold, where `limited` is true.'),
    permissions: ProductPermissions.describe(
      'The rights of the item’s next owner. A declaration: the item inworld decides.',
    ),
    discount: ProductDiscount.describe('The discount of the product. None: value 0, type 0, dates null.'),
    description: answerText(maxLength.description).describe('Text for a shop page; may have several lines.'),
    demoId: uuid().nullable().describe('UUID of the product that is the demo of this one; null: none.'),
    mpListing: z.int().describe('Number of its listing on the outside marketplace; `0`: none. Only imports set it.'),
    profitShares: z
      .array(ProfitShare)
      .describe('The residents who get a part of each sale. The rest goes to the store.'),
  })
  .meta({ id: 'ProductResponse' });

const DeliverProductRequest = z
  .object({
    recipientIdentifier: identifier().describe('The avatar who gets the item, by username or UUID.'),
    message: message(),
  })
  .meta({ id: 'DeliverProductRequest' });

const RedeliverProductRequest = z.object({ message: message() }).meta({ id: 'RedeliverProductRequest' });

export const OwnedProduct = z
  .object({
    productId: uuid().describe('UUID of the product, in lower case.'),
    name: answerText(maxLength.name).describe(
      'Name of the product; empty where the store has no such product any more.',
    ),
    quantity: z.int().describe('How many times the customer has bought it.'),
    boughtAt: time().describe('When the customer bought it first.'),
    lastDeliveredAt: timeOrNull().describe(
      'When the dispenser last gave it to the customer; null: never, as far as is known.',
    ),
  })
  .meta({ id: 'OwnedProductResponse' });

const ProductDeliveryResponse = z
  .object({
    productId: uuid().describe('UUID of the product, in lower case.'),
    recipientUuid: uuid().describe('UUID of the recipient, in lower case.'),
    recipientUsername: answerText(maxLength.username).describe('Current username of the recipient, in canonical form.'),
    queued: boolean().describe('Always true: the queue has the delivery. The item follows.'),
    message: answerText(maxLength.message).describe('The note that goes with the item; empty: none.'),
  })
  .meta({ id: 'ProductDeliveryResponse' });

const filters = {
  active: queryBoolean()
    .optional()
    .describe('`false`: the inactive products instead. Left out or `true`: the active ones.'),
  listed: queryBoolean().optional().describe('Only products whose `listed` is true (or false).'),
  bloggable: queryBoolean().optional().describe('Only products whose `bloggable` is true (or false).'),
  category: uuid()
    .optional()
    .describe('Only products in the category with this UUID. An unknown one gives an empty list.'),
  search: text({ min: 0, max: 100 })
    .optional()
    .describe(
      'Only products whose name or description contains this text: in any case, literally (`%` and `_` are no wildcards). ' +
        'At most 100 characters. Empty or blank: no filter.',
    ),
};

/** The fields of a product that a request sets, with its users looked up; PUT replaces all of them. */
export type ProductFields = Omit<z.output<typeof ProductUpsertRequest>, 'profitShares'> & {
  profitShares: z.output<typeof ProfitShare>[];
};
export type Product = ProductFields & Pick<z.output<typeof ProductResponse>, 'id' | 'mpListing' | 'activePrice'>;
export type ProductFilter = z.output<z.ZodObject<typeof filters>>;

/** The state that a product's ETag covers. The contract's answer has no `listed`, but it is a part of the state. */
const TaggedProduct = ProductResponse.extend({ listed: z.boolean() });

export const listProducts = route('GET /v1/products', {
  id: 'products/list-products',
  summary: 'List active products',
  scope: 'products:read',
  query: z.object({ ...pageQuery, ...filters }),
  response: listOf('ProductListResponse', 'Active products', ProductResponse),
  reads: ['PRODUCT', 'STOCK', 'CATEGORY', 'MEMBER'],
});

export const getProduct = route('GET /v1/products/{id}', {
  id: 'products/get-product',
  summary: 'Read a product',
  scope: 'products:read',
  response: ProductResponse,
  tagged: TaggedProduct,
  reads: ['PRODUCT', 'STOCK'],
});

export const createProduct = route('POST /v1/products', {
  id: 'products/create-product',
  summary: 'Create a product',
  scope: 'products:write',
  status: 201,
  body: ProductUpsertRequest,
  response: ProductResponse,
  tagged: TaggedProduct,
  reads: ['PRODUCT'],
  resolves: true,
  writes: ['PRODUCT'],
});

export const updateProduct = route('PUT /v1/products/{id}', {
  id: 'products/update-product',
  summary: 'Replace a product',
  scope: 'products:write',
  body: ProductUpsertRequest,
  response: ProductResponse,
  tagged: TaggedProduct,
  reads: ['PRODUCT'],
  resolves: true,
  writes: ['PRODUCT', 'STOCK', 'MEMBER'],
});

export const deliverProduct = route('POST /v1/products/{id}/actions/deliver', {
  id: 'products/deliver-product',
  summary: 'Queue a product for delivery to a resident',
  scope: 'products:deliver',
  body: DeliverProductRequest,
  response: ProductDeliveryResponse,
  reads: ['PRODUCT'],
  resolves: true,
  queue: true,
  delivers: true,
});

export const listOwnedProducts = route('GET /v1/customers/{identifier}/products', {
  id: 'products/list-owned-products',
  summary: 'List the products that a customer owns',
  scope: 'customers:read',
  query: z.object(pageQuery),
  response: listOf('OwnedProductListResponse', 'Owned products', OwnedProduct),
  reads: ['OWNED', 'PRODUCT'],
  resolves: true,
  extension: true,
});

export const redeliverProduct = route('POST /v1/customers/{identifier}/products/{productId}/actions/redeliver', {
  id: 'products/redeliver-product',
  summary: 'Deliver a product again to a customer who owns it',
  scope: 'products:redeliver',
  body: RedeliverProductRequest,
  bodyOptional: true,
  response: ProductDeliveryResponse,
  reads: ['PRODUCT', 'DELIVERY'],
  writes: ['OWNED'],
  resolves: true,
  queue: true,
  delivers: true,
  extension: true,
});
