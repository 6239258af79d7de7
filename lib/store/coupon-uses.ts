import { type Key, partition } from '../table/schema.ts';
import { get } from '../table/table.ts';

/** How often a customer has used a coupon: in completed sales that were not refunded. */
export interface CouponUses extends Key {
  uses: number;
}

export const couponUsesKey = (store: string, customer: string, couponId: string): Key => ({
  pk: partition(store, 'USE', customer),
  sk: couponId,
});

export const findCouponUses = (store: string, customer: string, couponId: string): Promise<CouponUses | undefined> =>
  get<CouponUses>(couponUsesKey(store, customer, couponId));
