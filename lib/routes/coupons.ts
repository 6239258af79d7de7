import * as z from 'zod';
import { route } from './route.ts';
import { timestamp } from './timestamp.ts';
import {
  acrossFields,
  answerText,
  avatarUuid,
  boolean,
  identifier,
  integer,
  listOf,
  maxLength,
  ownerUsername,
  pageQuery,
  percent,
  queryBoolean,
  text,
  time,
  uuid,
  withText,
} from './wire.ts';

const discountText = 'The discount, in percent of the price.';
const ownerProfitText = "The owner's commission, in percent of the price.";
const active = () => boolean().describe('True if the coupon can be applied.');
const bloggersSync = () =>
  boolean().describe('A flag for the store’s blogger tools. The service keeps it and does nothing else with it.');

export const CouponResponse = z
  .object({
    id: uuid().describe('UUID of the coupon, in lower case.'),
    code: answerText(maxLength.code).describe('The code, as it was written when the coupon was created or replaced.'),
    active: active(),
    bloggersSync: bloggersSync(),
    couponOwnerUuid: uuid().describe(
      'UUID of the owner: the avatar who receives the commission, not the customer who gets the discount. Fixed at creation.',
    ),
    couponOwnerUsername: ownerUsername(),
    discount: z.number().describe(discountText),
    ownerProfit: z.number().describe(ownerProfitText),
    usesPerCustomer: z.int().describe('How often one customer may use the coupon. `0`: without limit.'),
    expiration: time().describe(
      'The coupon can be applied before this time. A coupon does not expire until it is given a last day: `9999-12-31T23:59:59.999Z`.',
    ),
  })
  .meta({ id: 'CouponResponse' });

const CouponListResponse = listOf('CouponListResponse', 'Coupons', CouponResponse);

const UpdateCouponRequest = z
  .object({
    code: text({ min: 1, max: maxLength.code }).describe(
      'The code a customer types. At most 64 characters, unique in the store, compared without case, answered as written. ' +
        'Surrounding blanks are trimmed. A code that is taken is refused with 400.',
    ),
    discount: percent().default(0).describe(discountText),
    ownerProfit: percent().default(0).describe(ownerProfitText),
    active: active().default(true),
    bloggersSync: bloggersSync().default(false),
  })
  .meta({ id: 'UpdateCouponRequest' });

const CreateCouponRequest = UpdateCouponRequest.extend({
  ownerIdentifier: identifier().describe(
    'The avatar who receives the commission, by username or UUID. Cannot be changed later.',
  ),
}).meta({ id: 'CreateCouponRequest' });

const LimitCouponRequest = z
  .object({
    expiration: timestamp()
      .nullable()
      .describe('The coupon can be applied before this time: an ISO 8601 date-time with an offset. Null: for ever.'),
    usesPerCustomer: integer(0).describe('How often one customer may use the coupon. `0`: without limit.'),
  })
  .meta({ id: 'LimitCouponRequest' });

/** The fields of apply and revoke that name the coupon and the scope, without the conditions across fields. */
const couponChoice = {
  code: text({ min: 1, max: maxLength.code })
    .optional()
    .describe(
      'The coupon, by its code (at most 64 characters, case is ignored). Send exactly one of `code`, `couponOwnerUuid` and `couponId`.',
    ),
  couponOwnerUuid: avatarUuid()
    .optional()
    .describe(
      'The coupon, by the avatar who owns it: the newest usable (active, not expired) coupon of that owner. Not the nil UUID.',
    ),
  couponId: uuid().optional().describe('The coupon, by its id.'),
  scope: z
    .literal([0, 1], { error: 'must be 0 (store-wide) or 1 (single product)' })
    .describe('`0`: the whole store. `1`: a single product.'),
  productId: uuid().optional().describe('The product. Required with `scope` 1; must be left out with `scope` 0.'),
};

/** The rules of `choiceRules` as JSON Schema. */
const choiceForm = {
  allOf: [
    {
      oneOf: [
        withText('code', maxLength.code),
        ...['couponOwnerUuid', 'couponId'].map((name) => withText(name, maxLength.uuid)),
      ],
    },
    {
      oneOf: [
        { properties: { scope: { type: 'integer', enum: [0] }, productId: { not: {} } }, required: ['scope'] },
        {
          properties: {
            scope: { type: 'integer', enum: [1] },
            productId: { type: 'string', maxLength: maxLength.uuid },
          },
          required: ['scope', 'productId'],
        },
      ],
    },
  ],
};

/** Demands exactly one field that names the coupon, and `productId` exactly if the scope is 1. */
const choiceRules = acrossFields(({ code, couponOwnerUuid, couponId, scope, productId }, report) => {
  const named = Object.entries({ code, couponOwnerUuid, couponId }).flatMap(([key, value]) =>
    value === undefined ? [] : [key],
  );
  if (named.length !== 1) {
    const sent = named.length === 0 ? 'none of them' : named.join(' and ');
    report(undefined, `Send exactly one of code, couponOwnerUuid and couponId: this request has ${sent}.`);
  }
  if (scope === 1 && productId === undefined) report('productId', 'is required when scope is 1: it must be a UUID');
  if (scope === 0 && productId !== undefined) report('productId', 'must be left out when scope is 0');
});

const RevokeCouponRequest = z
  .object({
    ...couponChoice,
    couponOwnerUuid: avatarUuid()
      .optional()
      .describe(
        'The avatar who owns the coupon: the application of any coupon of that owner is removed. Not the nil UUID.',
      ),
  })
  .check(choiceRules)
  .meta({ id: 'RevokeCouponRequest', ...choiceForm });

const ApplyCouponRequest = z
  .object({
    ...couponChoice,
    expiresInHours: integer(1, 168).default(24).describe('Hours until the application lapses.'),
  })
  .check(choiceRules)
  .meta({ id: 'ApplyCouponRequest', ...choiceForm });

const AppliedCouponResponse = z
  .object({
    couponId: uuid().describe('UUID of the coupon, in lower case.'),
    code: answerText(maxLength.code).describe('Code of the coupon, as it was written.'),
    discount: z.number().describe(discountText),
    scope: z
      .enum(['store', 'product'])
      .describe(
        'The scope of the discount. The request sends an integer: `0` is answered `store`, `1` is answered `product`.',
      ),
    productId: uuid().optional().describe('UUID of the product. Only with scope `product`.'),
    customerUuid: uuid().describe('UUID of the customer, in lower case.'),
    customerUsername: answerText(maxLength.username).describe('Current username of the customer, in canonical form.'),
    expiresAt: time().describe('When the application lapses: the time of the request plus `expiresInHours`.'),
    replaced: boolean().describe(
      'True if this replaced an application still in force for the same customer and scope.',
    ),
  })
  .meta({ id: 'AppliedCouponResponse' });

export const CustomerCouponResponse = AppliedCouponResponse.omit({ replaced: true }).meta({
  id: 'CustomerCouponResponse',
});

const RevokedCouponResponse = z
  .object({ revoked: boolean().describe('True if there was such an application. It is gone in either case.') })
  .meta({ id: 'RevokedCouponResponse' });

export type Coupon = z.output<typeof CouponResponse>;
/** The fields of a coupon that a request sets; PUT replaces all of them. */
export type CouponFields = z.output<typeof UpdateCouponRequest>;
export type CouponLimits = z.output<typeof LimitCouponRequest>;
/** The fields by which a request names a coupon. */
export type CouponChoice = Pick<z.output<typeof RevokeCouponRequest>, 'code' | 'couponOwnerUuid' | 'couponId'>;

export const listOwnerCoupons = route('GET /v1/coupons/owner/{identifier}', {
  id: 'coupons/list-owner-coupons',
  summary: 'List the coupons whose commission goes to an avatar',
  scope: 'coupons:read',
  query: z.object(pageQuery),
  response: CouponListResponse,
  reads: ['COUPON'],
  resolves: true,
});

export const listCoupons = route('GET /v1/coupons', {
  id: 'coupons/list-coupons',
  summary: 'List coupons',
  scope: 'coupons:read',
  query: z.object({
    ...pageQuery,
    active: queryBoolean().optional().describe('Only active (true) or inactive (false) coupons.'),
  }),
  response: CouponListResponse,
  reads: ['COUPON'],
});

export const getCoupon = route('GET /v1/coupons/{id}', {
  id: 'coupons/get-coupon',
  summary: 'Read a coupon',
  scope: 'coupons:read',
  response: CouponResponse,
  tagged: CouponResponse,
  reads: ['COUPON'],
});

export const createCoupon = route('POST /v1/coupons', {
  id: 'coupons/create-coupon',
  summary: 'Create a coupon',
  scope: 'coupons:write',
  status: 201,
  body: CreateCouponRequest,
  response: CouponResponse,
  tagged: CouponResponse,
  resolves: true,
  writes: ['COUPON', 'CODE'],
});

export const updateCoupon = route('PUT /v1/coupons/{id}', {
  id: 'coupons/update-coupon',
  summary: 'Replace a coupon',
  scope: 'coupons:write',
  body: UpdateCouponRequest,
  response: CouponResponse,
  tagged: CouponResponse,
  reads: ['COUPON'],
  writes: ['COUPON', 'CODE'],
});

export const limitCoupon = route('PUT /v1/coupons/{id}/limits', {
  id: 'finding/limit-coupon',
  summary: 'Limit a coupon in time and uses',
  scope: 'coupons:write',
  body: LimitCouponRequest,
  response: CouponResponse,
  tagged: CouponResponse,
  writes: ['COUPON'],
  extension: true,
});

export const applyCoupon = route('POST /v1/customers/{identifier}/actions/apply-coupon', {
  id: 'coupons/apply-coupon',
  summary: 'Apply a coupon to a customer',
  scope: 'coupons:apply',
  body: ApplyCouponRequest,
  response: AppliedCouponResponse,
  reads: ['COUPON', 'CODE', 'PRODUCT'],
  resolves: true,
  writes: ['APPLIED', 'CUSTOMER'],
});

export const revokeCoupon = route('POST /v1/customers/{identifier}/actions/revoke-coupon', {
  id: 'coupons/revoke-coupon',
  summary: "Revoke a customer's coupon",
  scope: 'coupons:apply',
  body: RevokeCouponRequest,
  response: RevokedCouponResponse,
  reads: ['COUPON', 'CODE'],
  resolves: true,
  writes: ['APPLIED'],
});

export const listCustomerCoupons = route('GET /v1/customers/{identifier}/coupons', {
  id: 'coupons/list-customer-coupons',
  summary: "List a customer's applied coupons",
  scope: 'coupons:read',
  query: z.object(pageQuery),
  response: listOf('CustomerCouponListResponse', 'Applied coupons', CustomerCouponResponse),
  reads: ['APPLIED', 'COUPON'],
  resolves: true,
  extension: true,
});
