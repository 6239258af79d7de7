import { newId, now, timestamp } from '../clock.ts';
import type { Source } from '../lists/page.ts';
import { invalid, notFound } from '../problem.ts';
import { transactOnce } from '../table/idempotency.ts';
import { getMany, type Key, loaded, rowsOf } from '../table/query.ts';
import { findItem, partition, tableName } from '../table/table.ts';
import { codeKey, codeTaken, foldedCode } from './coupon-codes.ts';
import type { Resident } from './residents.ts';

/** What a request sets of a coupon; PUT replaces all of it. */
export interface CouponFields {
  code: string;
  discount: number;
  ownerProfit: number;
  active: boolean;
  bloggersSync: boolean;
}

/** `couponOwnerUsername` is a copy of the owner's name: `renameEverywhere` follows a change of it. */
export interface Coupon extends CouponFields {
  id: string;
  couponOwnerUuid: string;
  couponOwnerUsername: string;
  /** 0: no limit. */
  usesPerCustomer: number;
  /** Usable until then. */
  expiration: string;
}

/** A coupon as stored. */
export interface CouponItem extends Coupon, Key {
  /** The code as codes are compared: what the coupon's item under `codeKey` is named. */
  folded: string;
  flags: string;
  ranked: string;
  /** Its place in its owner's list: the time of its creation, then its id. */
  rank: string;
  /** The two values that `ranked` can have, so that an update that does not know the owner can set it. */
  rankedOn: string;
  rankedOff: string;
}

/** Fields that no request sets. */
export interface ImportedCoupon {
  id?: string;
  usesPerCustomer?: number;
  expiration?: string;
  createdAt?: string;
}

export const never = '9999-12-31T23:59:59.999Z';

export const couponKey = (store: string, id: string) => ({ pk: partition(store, 'COUPON'), sk: id });

export const flagsOf = (store: string, active: boolean): string => partition(store, 'COUPON', String(Number(active)));

/** The partition of an owner's coupons, active or inactive, in the index by rank. */
export const rankedOf = (store: string, owner: string, active: boolean): string =>
  partition(store, 'COUPON', `owner#${owner}#${Number(active)}`);

/** The item of a new coupon; the item that keeps its code unique is beside it. */
export const couponItems = (
  store: string,
  owner: Resident,
  fields: CouponFields,
  { createdAt = timestamp(now()), ...imported }: ImportedCoupon = {},
): { coupon: CouponItem; code: Key & { id: string } } => {
  const coupon = { ...fields, id: newId(), usesPerCustomer: 0, expiration: never, ...imported };
  const rankedOn = rankedOf(store, owner.uuid, true);
  const rankedOff = rankedOf(store, owner.uuid, false);
  return {
    coupon: {
      ...couponKey(store, coupon.id),
      ...coupon,
      couponOwnerUuid: owner.uuid,
      couponOwnerUsername: owner.username,
      folded: foldedCode(coupon.code),
      flags: flagsOf(store, coupon.active),
      ranked: coupon.active ? rankedOn : rankedOff,
      rank: `${createdAt}#${coupon.id}`,
      rankedOn,
      rankedOff,
    },
    code: { ...codeKey(store, foldedCode(coupon.code)), id: coupon.id },
  };
};

/** Throws 400 if another coupon of the store has the code. */
export const createCoupon = async (
  store: string,
  owner: Resident,
  fields: CouponFields,
  imported?: ImportedCoupon,
): Promise<Coupon> => {
  const { coupon, code } = couponItems(store, owner, fields, imported);
  const isNew = { TableName: tableName(), ConditionExpression: 'attribute_not_exists(pk)' };
  const refusals = await transactOnce([{ Put: { ...isNew, Item: coupon } }, { Put: { ...isNew, Item: code } }], coupon);
  if (refusals?.[0]?.refused) throw invalid('id must be new: another coupon of the store has it.');
  if (refusals) throw codeTaken();
  return coupon;
};

export const findCoupon = async (store: string, id: string): Promise<CouponItem | undefined> => {
  return findItem<CouponItem>(couponKey(store, id));
};

/** Throws 404. */
export const getCoupon = async (store: string, id: string): Promise<Coupon> => {
  const coupon = await findCoupon(store, id);
  if (!coupon) throw notFound();
  return coupon;
};

/** The coupons of which an index holds the keys, as far as they still pass: an index may be behind the table. */
export const couponsOf = <K extends Key>(
  keys: Source<K>,
  positionOf: (key: K) => string,
  passes: (item: Coupon) => boolean,
  { consistent = false } = {},
) =>
  loaded(keys, positionOf, async (rows) => {
    const keysOf = rows.map(({ pk, sk }) => ({ pk, sk }));
    const items = await getMany<CouponItem>(keysOf, { consistent });
    return items.filter(passes);
  });

/** In the order of their ids; `active` narrows. */
export const listCoupons = (store: string, active: boolean | undefined): Source<CouponItem> =>
  active === undefined
    ? rowsOf({ partition: partition(store, 'COUPON') })
    : couponsOf(
        rowsOf<Key>({ partition: flagsOf(store, active), index: 'byFlags' }),
        ({ sk }) => sk,
        (coupon) => coupon.active === active,
      );
