import * as z from 'zod';
import { route } from './route.ts';
import {
  acrossFields,
  avatarUuid,
  boolean,
  identifier,
  identifierPath,
  idPath,
  integer,
  listOf,
  noPath,
  noQuery,
  pageQuery,
  percent,
  queryBoolean,
  text,
  uuid,
} from './wire.ts';

const CouponResponse = z.object({
  id: uuid(),
  code: z.string(),
  active: boolean(),
  bloggersSync: boolean(),
  couponOwnerUuid: uuid(),
  couponOwnerUsername: z.string(),
  discount: z.number(),
  ownerProfit: z.number(),
  usesPerCustomer: z.int(),
  expiration: z.string(),
});

const CouponListResponse = listOf(CouponResponse);

const UpdateCouponRequest = z.object({
  code: text({ min: 1, max: 64 }),
  discount: percent().default(0),
  ownerProfit: percent().default(0),
  active: boolean().default(true),
  bloggersSync: boolean().default(false),
});

const CreateCouponRequest = UpdateCouponRequest.extend({ ownerIdentifier: identifier() });

/** The coupon and the scope of apply and revoke, before the rules that span fields. */
const couponChoice = {
  code: text({ min: 1, max: 64 }).optional(),
  couponOwnerUuid: avatarUuid().optional(),
  couponId: uuid().optional(),
  scope: z.literal([0, 1], { error: 'must be 0 (store-wide) or 1 (single product)' }),
  productId: uuid().optional(),
};

/** Exactly one coupon identifier, and `productId` exactly when the scope is 1. */
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

const RevokeCouponRequest = z.object(couponChoice).check(choiceRules);

const ApplyCouponRequest = z
  .object({ ...couponChoice, expiresInHours: integer(1, 168).default(24) })
  .check(choiceRules);

export const listOwnerCoupons = route({
  id: 'coupons/list-owner-coupons',
  summary: 'List the coupons whose commission goes to an avatar',
  method: 'GET',
  path: '/v1/coupons/owner/{identifier}',
  scope: 'coupons:read',
  status: 200,
  problems: [400, 404],
  params: identifierPath,
  query: z.object(pageQuery),
  response: CouponListResponse,
  reads: ['COUPON', 'RESIDENT', 'NAME'],
  writes: [],
});

export const listCoupons = route({
  id: 'coupons/list-coupons',
  summary: 'List coupons',
  method: 'GET',
  path: '/v1/coupons',
  scope: 'coupons:read',
  status: 200,
  problems: [400],
  params: noPath,
  query: z.object({ ...pageQuery, active: queryBoolean().optional() }),
  response: CouponListResponse,
  reads: ['COUPON'],
  writes: [],
});

export const getCoupon = route({
  id: 'coupons/get-coupon',
  summary: 'Read a coupon',
  method: 'GET',
  path: '/v1/coupons/{id}',
  scope: 'coupons:read',
  status: 200,
  problems: [404],
  params: idPath,
  query: noQuery,
  response: CouponResponse,
  reads: ['COUPON'],
  writes: [],
});

export const createCoupon = route({
  id: 'coupons/create-coupon',
  summary: 'Create a coupon',
  method: 'POST',
  path: '/v1/coupons',
  scope: 'coupons:write',
  status: 201,
  problems: [400, 404],
  params: noPath,
  query: noQuery,
  body: CreateCouponRequest,
  response: CouponResponse,
  reads: ['RESIDENT', 'NAME'],
  writes: ['COUPON', 'CODE'],
});

export const updateCoupon = route({
  id: 'coupons/update-coupon',
  summary: 'Replace a coupon',
  method: 'PUT',
  path: '/v1/coupons/{id}',
  scope: 'coupons:write',
  status: 200,
  problems: [400, 404],
  params: idPath,
  query: noQuery,
  body: UpdateCouponRequest,
  response: CouponResponse,
  reads: ['COUPON'],
  writes: ['COUPON', 'CODE'],
});

export const applyCoupon = route({
  id: 'coupons/apply-coupon',
  summary: 'Apply a coupon to a customer',
  method: 'POST',
  path: '/v1/customers/{identifier}/actions/apply-coupon',
  scope: 'coupons:apply',
  status: 200,
  problems: [400, 404],
  params: identifierPath,
  query: noQuery,
  body: ApplyCouponRequest,
  response: z.object({
    couponId: uuid(),
    code: z.string(),
    discount: z.number(),
    scope: z.enum(['store', 'product']),
    productId: uuid().optional(),
    customerUuid: uuid(),
    customerUsername: z.string(),
    expiresAt: z.string(),
    replaced: boolean(),
  }),
  reads: ['COUPON', 'CODE', 'PRODUCT', 'RESIDENT', 'NAME'],
  writes: ['APPLIED', 'CUSTOMER'],
});

export const revokeCoupon = route({
  id: 'coupons/revoke-coupon',
  summary: "Revoke a customer's coupon",
  method: 'POST',
  path: '/v1/customers/{identifier}/actions/revoke-coupon',
  scope: 'coupons:apply',
  status: 200,
  problems: [400, 404],
  params: identifierPath,
  query: noQuery,
  body: RevokeCouponRequest,
  response: z.object({ revoked: boolean() }),
  reads: ['COUPON', 'CODE', 'RESIDENT', 'NAME'],
  writes: ['APPLIED'],
});
