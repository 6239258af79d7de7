import { expect } from 'vitest';
import * as z from 'zod';
import { prefix, target } from './target.ts';

/**
 * The shapes of answers, written from the contract and not from the code: exactly these members, of these types. UUIDs
 * are in lower case, money is a whole number, and timestamps are in UTC with milliseconds.
 */
const uuid = z.string().regex(/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/);
const timestamp = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const username = z.string().regex(/^[a-z0-9]{1,31}(?:\.[a-z0-9]{1,31})?$/);
const amount = z.int().min(0);
const flag = z.boolean();
const person = { uuid, username };

export const shapes = {
  CouponResponse: z.strictObject({
    id: uuid,
    code: z.string(),
    active: flag,
    bloggersSync: flag,
    couponOwnerUuid: uuid,
    couponOwnerUsername: username,
    discount: z.number(),
    ownerProfit: z.number(),
    usesPerCustomer: amount,
    expiration: timestamp,
  }),
  AppliedCouponResponse: z.strictObject({
    couponId: uuid,
    code: z.string(),
    discount: z.number(),
    scope: z.enum(['store', 'product']),
    productId: uuid.optional(),
    customerUuid: uuid,
    customerUsername: username,
    expiresAt: timestamp,
    replaced: flag,
  }),
  RevokedCouponResponse: z.strictObject({ revoked: flag }),
  CustomerResponse: z.strictObject({
    ...person,
    credit: amount,
    restrictedCredit: amount,
    discount: amount,
    newsSubscriber: flag,
    isBanned: flag,
  }),
  CustomerCreditResponse: z.strictObject({ ...person, credit: amount, restrictedCredit: amount }),
  CustomerSpendResponse: z.strictObject({ ...person, sum: amount, lastYearSum: amount, totalOwned: amount }),
  CustomerBanStateResponse: z.strictObject({ ...person, isBanned: flag }),
  GiftCardResponse: z.strictObject({
    id: uuid,
    ownerUuid: uuid,
    ownerUsername: username,
    credit: amount,
    active: flag,
    redeemed: flag,
    transfer: flag,
    texture: uuid.nullable(),
    purchased: flag,
  }),
  ProductResponse: z.strictObject({
    id: uuid,
    name: z.string(),
    price: amount,
    activePrice: amount,
    image: uuid,
    bloggable: flag,
    active: flag,
    blockCredits: flag,
    item: z.string(),
    limited: flag,
    availableAmount: amount,
    permissions: z.strictObject({ copy: flag, modify: flag, transfer: flag }),
    discount: z.strictObject({
      value: z.number(),
      type: z.literal([0, 1, 2]),
      startDate: timestamp.nullable(),
      endDate: timestamp.nullable(),
    }),
    description: z.string(),
    demoId: uuid.nullable(),
    mpListing: z.int(),
    profitShares: z.array(z.strictObject({ userUuid: uuid, percent: z.number() })),
  }),
  ProductDeliveryResponse: z.strictObject({
    productId: uuid,
    recipientUuid: uuid,
    recipientUsername: username,
    queued: flag,
    message: z.string(),
  }),
  CategoryResponse: z.strictObject({ id: uuid, name: z.string(), productCount: amount }),
};

export type Shape = keyof typeof shapes;

export const listOf = (row: z.ZodType) =>
  z.strictObject({
    data: z.array(row),
    pagination: z.strictObject({
      nextCursor: z.string().nullable(),
      previousCursor: z.string().nullable(),
      limit: z.int().min(1).max(1000),
    }),
  });

const titles: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
};

/**
 * Asserts a problem of the contract: exactly its members, `errors` only on a 400 with messages, and `detail` with all
 * of them joined.
 */
export const expectProblem = (
  answer: { status: number; headers: Headers; body: unknown },
  status: number,
  path: string,
  errors?: unknown[],
): void => {
  // A deployment's firewall refuses malformed keys without a body.
  if (!target.local && status === 401 && answer.status === 401 && answer.body === undefined) return;
  expect({ status: answer.status, body: answer.body }).toEqual({
    status,
    body: {
      status,
      title: titles[status],
      detail: expect.stringMatching(/\S/),
      instance: prefix + path,
      ...(status === 400 && { errors: errors ?? expect.any(Array) }),
    },
  });
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  const { detail, errors: messages = [] } = answer.body as { detail: string; errors?: string[] };
  for (const message of messages) expect(detail).toContain(message);
};
