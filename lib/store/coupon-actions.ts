import { now, timestamp } from '../clock.ts';
import type { Identifier } from '../identifier.ts';
import { invalid, notFound } from '../problem.ts';
import { applicationKey, deleteApplication, putApplication } from './applied-coupons.ts';
import { type CouponChoice, findChosen } from './coupon-choice.ts';
import { hasProduct } from './products.ts';
import { findResident } from './residents.ts';
import { findVisitor, welcoming } from './visitor.ts';

const hourMillis = 3_600_000;

/** The 400 of everybody whom a request names and who does not exist, or nothing. */
const refuseUnknown = (named: Record<string, object | undefined>): void => {
  const unknown = Object.keys(named).filter((name) => named[name] === undefined);
  if (unknown.length > 0) throw invalid(...unknown.map((name) => `${name} names a resident who does not exist.`));
};

const ownerOf = async ({ couponOwnerUuid }: CouponChoice) =>
  couponOwnerUuid === undefined ? {} : { couponOwnerUuid: await findResident({ uuid: couponOwnerUuid }) };

/**
 * Applies a coupon to a customer. Throws 400 for residents who do not exist and for a coupon that is inactive or
 * expired, 404 for a coupon or product that the store does not have.
 */
export const applyCoupon = async (
  store: string,
  identifier: Identifier,
  { productId, expiresInHours, ...choice }: CouponChoice & { productId?: string | undefined; expiresInHours: number },
) => {
  const start = now();
  const at = timestamp(start);
  const [customer, owner, coupon, hasIt] = await Promise.all([
    findVisitor(store, identifier),
    ownerOf(choice),
    findChosen(store, choice, at),
    productId === undefined || hasProduct(store, productId),
  ]);
  refuseUnknown({ identifier: customer, ...owner });
  if (!customer || !coupon || !hasIt) throw notFound();
  if (!coupon.active) throw invalid('The coupon is not active.');
  if (coupon.expiration <= at) throw invalid('The coupon has expired.');
  const { id: couponId, code, discount, couponOwnerUuid } = coupon;
  const expiresAt = timestamp(start + expiresInHours * hourMillis);
  const key = applicationKey(store, customer.uuid, productId);
  const answerOf = (replaced: boolean) => ({
    couponId,
    code,
    discount,
    scope: productId === undefined ? ('store' as const) : ('product' as const),
    ...(productId !== undefined && { productId }),
    customerUuid: customer.uuid,
    customerUsername: customer.username,
    expiresAt,
    replaced,
  });
  const application = { couponId, couponOwnerUuid, expiresAt };
  return putApplication(key, application, at, answerOf, welcoming(store, customer));
};

/**
 * Removes the customer's live application of this coupon (by owner: of any of the owner's coupons) at this scope.
 * Throws 400 for residents who do not exist, 404 for a coupon that the store does not have.
 */
export const revokeCoupon = async (
  store: string,
  identifier: Identifier,
  { productId, ...choice }: CouponChoice & { productId?: string | undefined },
): Promise<{ revoked: boolean }> => {
  const at = timestamp(now());
  const [customer, owner, coupon] = await Promise.all([
    findResident(identifier),
    ownerOf(choice),
    findChosen(store, choice, at),
  ]);
  refuseUnknown({ identifier: customer, ...owner });
  if (!customer || !coupon) throw notFound();
  const { couponOwnerUuid } = choice;
  const of = couponOwnerUuid === undefined ? { couponId: coupon.id } : { couponOwnerUuid };
  return deleteApplication(applicationKey(store, customer.uuid, productId), of, at);
};
