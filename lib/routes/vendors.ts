import * as z from 'zod';
import { scriptUrl } from './dispenser.ts';
import { ProductPermissions } from './products.ts';
import { route } from './route.ts';
import {
  answerText,
  answerTextOrNull,
  boolean,
  listOf,
  maxLength,
  pageQuery,
  text,
  time,
  timeOrNull,
  uuid,
} from './wire.ts';

export const vendorStates = ['active', 'lost'] as const;
export type VendorState = (typeof vendorStates)[number];

/** A text that may be left out; an empty one counts as left out. */
const detail = (max: number = maxLength.objectDetail) =>
  text({ min: 0, max })
    .transform((value) => value || undefined)
    .optional();

const RegisterVendorRequest = z
  .object({
    name: text({ min: 1, max: maxLength.objectName }).describe('Name of the object: 1 to 63 characters.'),
    region: text({ min: 1, max: maxLength.objectName }).describe(
      'Name of the region that it is in: 1 to 63 characters.',
    ),
    position: detail().describe('Where it stands in the region, for people: at most 40 characters.'),
    script: detail().describe('Name and version of its script, for people: at most 40 characters.'),
    url: scriptUrl()
      .nullable()
      .transform((url) => url ?? undefined)
      .optional()
      .describe(
        'The address that the region gave the script, under the rules of the dispenser’s; null or left out: it has none, and is told of no change.',
      ),
    productId: uuid()
      .optional()
      .describe(
        'The product that it is to sell. Counts at its first registration and, with `picked`, while it has none; an unknown one is ignored.',
      ),
    picked: boolean()
      .default(false)
      .describe('True if its owner has picked `productId` at the object. Left out: false.'),
    search: detail(100).describe(
      'The answer has `choices`: active products whose name holds this text, in any case, literally. At most 100 characters.',
    ),
  })
  .meta({ id: 'RegisterVendorRequest' });

const VendorProduct = z
  .object({
    id: uuid().describe('UUID of the product.'),
    name: answerText(maxLength.name).describe('Name of the product.'),
    price: z.int().describe('Price in L$, without the discount.'),
    activePrice: z.int().describe('Price in L$ now: with the discount, where one runs.'),
    changesAt: timeOrNull().describe('When `activePrice` next changes by itself; null: it does not.'),
    image: uuid().describe('UUID of the picture’s texture; the nil UUID: none.'),
    permissions: ProductPermissions.describe('The rights of the item’s next owner.'),
    demoId: uuid().nullable().describe('UUID of the product that is the demo of this one; null: none.'),
    active: boolean().describe('True while the product is sold.'),
    soldOut: boolean().describe('True if no copy of a limited product is left.'),
  })
  .meta({ id: 'VendorProduct' });

const VendorChoice = z
  .object({
    id: uuid().describe('UUID of the product.'),
    name: answerText(maxLength.name).describe('Name of the product.'),
  })
  .meta({ id: 'VendorChoice' });

export const VendorResponse = z
  .object({
    uuid: uuid().describe('UUID of the object, in lower case.'),
    name: answerText(maxLength.objectName).describe('Name of the object.'),
    region: answerText(maxLength.objectName).describe('Name of the region that it is in.'),
    position: answerTextOrNull(maxLength.objectDetail).describe('Where it stands in the region; null: not told.'),
    script: answerTextOrNull(maxLength.objectDetail).describe('Name and version of its script; null: not told.'),
    state: z.enum(vendorStates).describe('`lost`: it has not registered for 30 hours.'),
    product: VendorProduct.nullable().describe('The product that it sells; null: none.'),
    registeredAt: time().describe('When it registered first.'),
    seenAt: time().describe('When it last registered, or up to an hour before that.'),
    choices: z.array(VendorChoice).optional().describe('For `search` alone: up to 9 active products, by name.'),
  })
  .meta({ id: 'VendorResponse' });

const SetVendorProductRequest = z
  .object({
    productId: uuid().nullable().describe('UUID of the product that the vendor is to sell; null: none.'),
  })
  .meta({ id: 'SetVendorProductRequest' });

const filters = {
  product: uuid().optional().describe('Only vendors that sell the product with this UUID.'),
  state: z.enum(vendorStates, { error: 'must be active or lost' }).optional().describe('Only vendors in this state.'),
};

export type VendorRegistration = z.output<typeof RegisterVendorRequest>;
export type VendorAnswer = z.input<typeof VendorResponse>;
export type VendorProduct = z.output<typeof VendorProduct>;
export type VendorChoice = z.output<typeof VendorChoice>;
export type VendorFilter = z.output<z.ZodObject<typeof filters>>;

const common = { extension: true, servedBy: 'vendors' } as const;

export const registerVendor = route('PUT /v1/vendors/{uuid}', {
  id: 'vendors/register-vendor',
  summary: 'Register a vendor',
  scope: 'vendors:register',
  problems: [400],
  ...common,
  body: RegisterVendorRequest,
  response: VendorResponse,
  reads: ['PRODUCT'],
  writes: ['VENDOR', 'COUNT'],
  share: 'registrations',
});

export const listVendors = route('GET /v1/vendors', {
  id: 'vendors/list-vendors',
  summary: 'List vendors',
  scope: 'vendors:read',
  ...common,
  query: z.object({ ...pageQuery, ...filters }),
  response: listOf('VendorListResponse', 'Vendors, by UUID', VendorResponse),
  reads: ['VENDOR', 'PRODUCT'],
});

export const getVendor = route('GET /v1/vendors/{uuid}', {
  id: 'vendors/get-vendor',
  summary: 'Read a vendor',
  scope: 'vendors:read',
  ...common,
  response: VendorResponse,
  reads: ['VENDOR', 'PRODUCT'],
});

export const setVendorProduct = route('PUT /v1/vendors/{uuid}/product', {
  id: 'vendors/set-vendor-product',
  summary: 'Set the product that a vendor sells',
  scope: 'vendors:write',
  ...common,
  body: SetVendorProductRequest,
  response: VendorResponse,
  reads: ['PRODUCT'],
  writes: ['VENDOR'],
});

export const deleteVendor = route('DELETE /v1/vendors/{uuid}', {
  id: 'vendors/delete-vendor',
  summary: 'Delete a vendor',
  scope: 'vendors:write',
  ...common,
  writes: ['VENDOR', 'COUNT'],
  makes: ['REMOVED'],
});
