import type { Resident } from '../../avatars/residents.ts';
import type { AppliedCoupon } from '../../catalogue/applied-coupons.ts';
import type { CouponItem } from '../../catalogue/coupons.ts';
import { now, timestamp } from '../../clock.ts';
import { appliedKey, couponKey, productKey } from '../../table/keys.ts';
import { type Key, ttlAttribute } from '../../table/schema.ts';
import { type Group, type Importer, type Row, readItems, replacing, unknownReference } from './rows.ts';

export interface AppliedFields {
  resident: Resident;
  /** Ids. */
  coupon: string;
  product?: string;
  expiresAt: string;
}

const unknownCoupon = 'must be a coupon of the store, by UUID or by the id of its row: import coupons first';

/**
 * Tells whether a row changes what is applied. Applying is an act of a customer. So an import only prolongs an
 * application, and brings back no coupon that was revoked or replaced.
 */
const isNews = (stored: AppliedCoupon | undefined, couponId: string, expiresAt: string, at: string): boolean => {
  if (expiresAt <= at) return false;
  if (!stored) return true;
  const isLapsed = stored.expiresAt !== '' && stored.expiresAt <= at;
  return isLapsed || (stored.couponId === couponId && stored.expiresAt !== '' && stored.expiresAt < expiresAt);
};

const appliedGroup = (
  row: Row<AppliedFields>,
  store: string,
  itemAt: (key: Key) => Key | undefined,
): Group<AppliedFields> => {
  const { coupon: couponId, product, expiresAt, resident } = row.fields;
  const coupon = itemAt(couponKey(store, couponId)) as CouponItem | undefined;
  if (!coupon) return { rows: [row], outcome: { field: 'coupon', value: couponId, message: unknownCoupon } };
  if (product !== undefined && !itemAt(productKey(store, product)))
    return { rows: [row], outcome: { field: 'product', value: product, message: unknownReference('products') } };
  const key = appliedKey(store, resident.uuid, product);
  const stored = itemAt(key) as AppliedCoupon | undefined;
  if (!isNews(stored, couponId, expiresAt, timestamp(now()))) return { rows: [row], outcome: 'unchanged' };
  const item = {
    ...key,
    couponId,
    code: coupon.code,
    discount: coupon.discount,
    couponOwnerUuid: coupon.couponOwnerUuid,
    username: resident.username,
    expiresAt,
    earlier: '',
    [ttlAttribute]: Math.ceil(Date.parse(expiresAt) / 1000),
  };
  return {
    rows: [row],
    outcome: stored ? 'changed' : 'created',
    writes: replacing<Key>(stored, item),
    customers: [resident],
  };
};

/** Coupons that customers have applied, with the values of their coupons. */
export const appliedImporter: Importer<AppliedFields> = {
  plan: async (rows, { store }) => {
    const keys = rows.flatMap(({ fields: { resident, coupon, product } }) => [
      appliedKey(store, resident.uuid, product),
      couponKey(store, coupon),
      ...(product === undefined ? [] : [productKey(store, product)]),
    ]);
    const itemAt = await readItems(keys);
    return rows.map((row) => appliedGroup(row, store, itemAt));
  },
};
