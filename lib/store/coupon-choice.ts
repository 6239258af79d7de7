import { findCodeHolder, foldedCode } from './coupon-codes.ts';
import { type CouponItem, findCoupon } from './coupons.ts';
import { findOwnersBest } from './owner-coupons.ts';

/** How a request names a coupon: the wire schema lets exactly one of the three through. */
export interface CouponChoice {
  code?: string | undefined;
  couponOwnerUuid?: string | undefined;
  couponId?: string | undefined;
}

const findByCode = async (store: string, code: string): Promise<CouponItem | undefined> => {
  const id = await findCodeHolder(store, foldedCode(code));
  const coupon = id === undefined ? undefined : await findCoupon(store, id);
  // Renamed between the two reads: then the code was free for a moment, and not found is a true answer.
  return coupon?.folded === foldedCode(code) ? coupon : undefined;
};

/** The coupon that a request means at a time (as `timestamp` writes it); undefined if there is none. */
export const findChosen = async (
  store: string,
  { code, couponOwnerUuid, couponId }: CouponChoice,
  at: string,
): Promise<CouponItem | undefined> => {
  if (code !== undefined) return findByCode(store, code);
  if (couponOwnerUuid !== undefined) return findOwnersBest(store, couponOwnerUuid, at);
  return findCoupon(store, couponId ?? '');
};
