import * as z from 'zod';
import { ProductUpsertRequest } from './product-request.ts';
import { route } from './route.ts';
import { boolean, identifier, idPath, listOf, noPath, noQuery, pageQuery, queryBoolean, text, uuid } from './wire.ts';

const Permissions = z.object({ copy: boolean(), modify: boolean(), transfer: boolean() });

const ProductResponse = z.object({
  id: uuid(),
  name: z.string(),
  price: z.int(),
  activePrice: z.int(),
  image: uuid(),
  bloggable: boolean(),
  active: boolean(),
  blockCredits: boolean(),
  item: z.string(),
  limited: boolean(),
  availableAmount: z.int(),
  permissions: Permissions,
  discount: z.object({
    value: z.number(),
    type: z.int(),
    startDate: z.string().nullable(),
    endDate: z.string().nullable(),
  }),
  description: z.string(),
  demoId: uuid().nullable(),
  mpListing: z.int(),
  profitShares: z.array(z.object({ userUuid: uuid(), percent: z.number() })),
});

export const listProducts = route({
  id: 'products/list-products',
  summary: 'List active products',
  method: 'GET',
  path: '/v1/products',
  scope: 'products:read',
  status: 200,
  problems: [400],
  params: noPath,
  query: z.object({
    ...pageQuery,
    listed: queryBoolean().optional(),
    bloggable: queryBoolean().optional(),
    category: uuid().optional(),
    search: text({ min: 0, max: 100 }).optional(),
  }),
  response: listOf(ProductResponse),
  reads: ['PRODUCT', 'CATEGORY', 'MEMBER'],
  writes: [],
});

export const getProduct = route({
  id: 'products/get-product',
  summary: 'Read a product',
  method: 'GET',
  path: '/v1/products/{id}',
  scope: 'products:read',
  status: 200,
  problems: [404],
  params: idPath,
  query: noQuery,
  response: ProductResponse,
  reads: ['PRODUCT'],
  writes: [],
});

export const createProduct = route({
  id: 'products/create-product',
  summary: 'Create a product',
  method: 'POST',
  path: '/v1/products',
  scope: 'products:write',
  status: 201,
  problems: [400, 404],
  params: noPath,
  query: noQuery,
  body: ProductUpsertRequest,
  response: ProductResponse,
  reads: ['PRODUCT', 'RESIDENT', 'NAME'],
  writes: ['PRODUCT'],
});

export const updateProduct = route({
  id: 'products/update-product',
  summary: 'Replace a product',
  method: 'PUT',
  path: '/v1/products/{id}',
  scope: 'products:write',
  status: 200,
  problems: [400, 404],
  params: idPath,
  query: noQuery,
  body: ProductUpsertRequest,
  response: ProductResponse,
  reads: ['PRODUCT', 'RESIDENT', 'NAME'],
  writes: ['PRODUCT'],
});

const messageWords = 'must be at most 1023 bytes of UTF-8 without control characters other than tabs and line ends';

export const deliverProduct = route({
  id: 'products/deliver-product',
  summary: 'Queue a product for delivery to a resident',
  method: 'POST',
  path: '/v1/products/{id}/actions/deliver',
  scope: 'products:deliver',
  status: 200,
  problems: [400, 404],
  params: idPath,
  query: noQuery,
  body: z.object({
    recipientIdentifier: identifier(),
    message: text({
      min: 0,
      max: 1023,
      multiline: true,
      also: { test: (value) => Buffer.byteLength(value) <= 1023, words: messageWords },
    }).default(''),
  }),
  response: z.object({
    productId: uuid(),
    recipientUuid: uuid(),
    recipientUsername: z.string(),
    queued: boolean(),
    message: z.string(),
  }),
  reads: ['PRODUCT', 'RESIDENT', 'NAME'],
  writes: [],
  queue: true,
});
