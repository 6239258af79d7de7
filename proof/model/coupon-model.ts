/**
 * A second implementation of coupons and their applications, written from the specification alone: two plain lists. The
 * model test compares the service with it.
 */
export interface ModelCoupon {
  id: string;
  code: string;
  owner: string;
  active: boolean;
  expiration: number;
}

interface Application {
  customer: string;
  /** `store`, or a product's id. */
  scope: string;
  coupon: ModelCoupon;
  expiresAt: number;
}

export interface CouponModel {
  now: number;
  /** In the order of their creation. */
  coupons: ModelCoupon[];
  applications: Application[];
}

/** The coupon of a request. */
export type Choice = { code: string } | { couponId: string } | { couponOwnerUuid: string };

const sameCode = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Codes are unique in a store, and compared without case. */
export const create = (model: CouponModel, coupon: ModelCoupon): 201 | 400 => {
  if (model.coupons.some(({ code }) => sameCode(code, coupon.code))) return 400;
  model.coupons.push(coupon);
  return 201;
};

/** Replaces the fields that PUT replaces. The owner and the expiration stay. */
export const replace = (model: CouponModel, id: string, code: string, active: boolean): 200 | 400 => {
  if (model.coupons.some((other) => other.id !== id && sameCode(other.code, code))) return 400;
  for (const coupon of model.coupons) if (coupon.id === id) Object.assign(coupon, { code, active });
  return 200;
};

const usable = ({ now }: CouponModel, { active, expiration }: ModelCoupon): boolean => active && now < expiration;

const chosen = (model: CouponModel, choice: Choice): ModelCoupon | undefined => {
  const { coupons } = model;
  if ('couponId' in choice) return coupons.find(({ id }) => id === choice.couponId);
  if ('code' in choice) return coupons.find(({ code }) => sameCode(code, choice.code));
  const owned = coupons.filter(({ owner }) => owner === choice.couponOwnerUuid);
  return owned.findLast((coupon) => usable(model, coupon)) ?? owned.at(-1);
};

const hourMillis = 3_600_000;

const live = ({ now, applications }: CouponModel, customer: string, scope: string): Application | undefined =>
  applications.find((each) => each.customer === customer && each.scope === scope && now < each.expiresAt);

const drop = (model: CouponModel, customer: string, scope: string): void => {
  model.applications = model.applications.filter((each) => each.customer !== customer || each.scope !== scope);
};

/** The answer of apply-coupon: the status, and for 200 the expected body. */
export const apply = (
  model: CouponModel,
  customer: string,
  scope: string,
  choice: Choice,
  hours: number,
): { status: 200; couponId: string; code: string; expiresAt: number; replaced: boolean } | { status: 400 | 404 } => {
  const coupon = chosen(model, choice);
  if (!coupon) return { status: 404 };
  if (!usable(model, coupon)) return { status: 400 };
  const replaced = live(model, customer, scope) !== undefined;
  const expiresAt = model.now + hours * hourMillis;
  drop(model, customer, scope);
  model.applications.push({ customer, scope, coupon, expiresAt });
  return { status: 200, couponId: coupon.id, code: coupon.code, expiresAt, replaced };
};

/** The answer of revoke-coupon. */
export const revoke = (
  model: CouponModel,
  customer: string,
  scope: string,
  choice: Choice,
): { status: 200; revoked: boolean } | { status: 404 } => {
  const coupon = chosen(model, choice);
  if (!coupon) return { status: 404 };
  const application = live(model, customer, scope);
  const revoked =
    application !== undefined &&
    ('couponOwnerUuid' in choice
      ? application.coupon.owner === choice.couponOwnerUuid
      : application.coupon.id === coupon.id);
  if (revoked) drop(model, customer, scope);
  return { status: 200, revoked };
};
