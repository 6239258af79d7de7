import { couponUsesKey } from '../table/keys.ts';
import { check, is, isNew, update, type Write } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { get } from '../table/table.ts';

/** How often a customer has used a coupon: in completed sales that were not refunded. */
export interface CouponUses extends Key {
  uses: number;
}

export const findCouponUses = (store: string, customer: string, couponId: string): Promise<CouponUses | undefined> =>
  get<CouponUses>(couponUsesKey(store, customer, couponId));

const areAsRead = (read: CouponUses | undefined) => (read ? is('uses', read.uses) : isNew);

/** The write that counts uses. Refused if the uses have changed since they were read. */
export const countUse = (key: Key, read: CouponUses | undefined, step: number): Write =>
  update(key, { set: { uses: (read?.uses ?? 0) + step }, when: areAsRead(read) });

/** The write that takes a use back, if there is one. Refused if the uses have changed since they were read. */
export const takeUseBack = (key: Key, read: CouponUses | undefined): Write =>
  read && read.uses > 0 ? countUse(key, read, -1) : check(key, areAsRead(read));
