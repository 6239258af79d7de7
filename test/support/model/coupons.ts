import { avatarOf, type ModelCoupon, type SaleModel } from './sales.ts';

/** Coupons and their applications by the specification alone: a plain list, searched from end to end. */

/** The coupon of a request. */
export type Choice = { code: string } | { couponId: string } | { couponOwnerUuid: string };

const compared = (code: string): string => code.replaceAll(/\p{Cf}/gu, '').toLowerCase();

export const sameCode = (a: string, b: string): boolean => compared(a) === compared(b);

/** Codes are unique in a store, and compared without case and format characters. */
export const createCoupon = ({ coupons }: SaleModel, coupon: ModelCoupon): 201 | 400 => {
  if (coupons.some(({ code }) => sameCode(code, coupon.code))) return 400;
  coupons.push(coupon);
  return 201;
};

/** Replaces the fields that PUT replaces. The owner, the uses and the expiration stay. */
export const replaceCoupon = (
  { coupons }: SaleModel,
  id: string,
  fields: Pick<ModelCoupon, 'code' | 'active' | 'discount' | 'ownerProfit'>,
): 200 | 400 => {
  if (coupons.some((other) => other.id !== id && sameCode(other.code, fields.code))) return 400;
  for (const coupon of coupons) if (coupon.id === id) Object.assign(coupon, fields);
  return 200;
};

const isUsable = ({ now }: SaleModel, { active, expiration }: ModelCoupon): boolean => active && now < expiration;

const chosen = (model: SaleModel, choice: Choice): ModelCoupon | undefined => {
  const { coupons } = model;
  if ('couponId' in choice) return coupons.find(({ id }) => id === choice.couponId);
  if ('code' in choice) return coupons.find(({ code }) => sameCode(code, choice.code));
  const owned = coupons.filter(({ owner }) => owner === choice.couponOwnerUuid);
  return owned.findLast((coupon) => isUsable(model, coupon)) ?? owned.at(-1);
};

const hourMillis = 3_600_000;

const liveCoupon = (model: SaleModel, customer: string, scope: string): ModelCoupon | undefined => {
  const application = avatarOf(model, customer).applications[scope];
  if (!application || application.expiresAt <= model.now) return undefined;
  return model.coupons.find(({ id }) => id === application.couponId);
};

/** The answer of apply-coupon: the status, and for 200 the expected body. `scope` is `store`, or a product's id. */
export const applyCoupon = (
  model: SaleModel,
  customer: string,
  scope: string,
  choice: Choice,
  hours: number,
): { status: 200; couponId: string; code: string; expiresAt: number; replaced: boolean } | { status: 400 | 404 } => {
  const coupon = chosen(model, choice);
  if (!coupon) return { status: 404 };
  if (!isUsable(model, coupon)) return { status: 400 };
  const [replaced, expiresAt] = [liveCoupon(model, customer, scope) !== undefined, model.now + hours * hourMillis];
  avatarOf(model, customer).applications[scope] = { couponId: coupon.id, expiresAt };
  return { status: 200, couponId: coupon.id, code: coupon.code, expiresAt, replaced };
};

/** The answer of revoke-coupon. */
export const revokeCoupon = (
  model: SaleModel,
  customer: string,
  scope: string,
  choice: Choice,
): { status: 200; revoked: boolean } | { status: 404 } => {
  const coupon = chosen(model, choice);
  if (!coupon) return { status: 404 };
  const live = liveCoupon(model, customer, scope);
  const revoked = 'couponOwnerUuid' in choice ? live?.owner === choice.couponOwnerUuid : live?.id === coupon.id;
  if (revoked) delete avatarOf(model, customer).applications[scope];
  return { status: 200, revoked };
};
