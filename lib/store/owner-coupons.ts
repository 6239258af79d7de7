import type { Source } from '../lists/page.ts';
import { type Key, merged, rowsOf } from '../table/query.ts';
import { type Coupon, type CouponItem, couponsOf, rankedOf } from './coupons.ts';

type Ranked = Key & { rank: string };

/** The keys of an owner's coupons, the oldest first. */
export const ownersCoupons = (store: string, owner: string, states = [true, false]): Source<Ranked> =>
  merged(
    states.map((active) => rowsOf<Ranked>({ partition: rankedOf(store, owner, active), index: 'byRank' })),
    ({ rank }) => rank,
  );

/** The coupons whose commission goes to an avatar, the oldest first. */
export const listOwnerCoupons = (
  store: string,
  owner: string,
  { consistent = false }: { consistent?: boolean } = {},
): Source<CouponItem> =>
  couponsOf(
    ownersCoupons(store, owner),
    ({ rank }) => rank,
    () => true,
    { consistent },
  );

/** Whether it can be applied at a time (as `timestamp` writes it). */
const isUsable = ({ active, expiration }: Coupon, at: string): boolean => active && at < expiration;

/**
 * The owner's newest usable coupon; if none is usable, the newest. Inactive coupons are in another partition of the
 * index, and expired ones (none but imported coupons expire) are passed over in growing strides.
 */
export const findOwnersBest = async (store: string, owner: string, at: string): Promise<CouponItem | undefined> => {
  const usable = couponsOf(
    ownersCoupons(store, owner, [true]),
    ({ rank }) => rank,
    (coupon) => isUsable(coupon, at),
    // A coupon that was just switched off must not be applied.
    { consistent: true },
  );
  const [best] = await usable({ descending: true, limit: 1 });
  if (best) return best;
  const [newest] = await listOwnerCoupons(store, owner, { consistent: true })({ descending: true, limit: 1 });
  return newest;
};
