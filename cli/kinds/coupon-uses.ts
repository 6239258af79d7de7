import { type CouponUses, couponUsesKey } from '../../lib/store/coupon-uses.ts';
import { rowsOf } from '../../lib/table/table.ts';
import type { Kind } from './kind.ts';
import { all, personal } from './personal.ts';

/** Counts of how often a customer has used a coupon. */
export const couponUses: Kind = {
  personal: [
    personal<CouponUses>({
      words: ['count of uses of a coupon', 'counts of uses of coupons'],
      effect: 'pseudonym',
      find: (store, uuid) => all(rowsOf<CouponUses>({ partition: couponUsesKey(store, uuid, '').pk })),
      kept: (use, { store, pseudonym }) => ({ ...use, ...couponUsesKey(store, pseudonym, use.sk) }),
      merged: (use, there) => ({ ...there, uses: use.uses + there.uses }),
    }),
  ],
};
