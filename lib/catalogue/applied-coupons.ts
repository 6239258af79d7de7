import { findStoreResident, newCustomerWrites } from '../avatars/customers.ts';
import { findResident, type Resident, refuseUnknown } from '../avatars/residents.ts';
import { now, timestamp } from '../clock.ts';
import type { Identifier } from '../identifier.ts';
import { loaded, merged, type Source } from '../lists/source.ts';
import { invalid, notFound } from '../problem.ts';
import type { CouponChoice } from '../routes/coupons.ts';
import { appliedKey, couponKey } from '../table/keys.ts';
import { above, all, copyOf, is, update } from '../table/language.ts';
import { type Key, ttlAttribute } from '../table/schema.ts';
import { get, getMany, rowsOf, write } from '../table/table.ts';
import { type CouponItem, findChosen } from './coupons.ts';
import { hasProduct } from './products.ts';

/**
 * A coupon that is applied to a customer: at most one for the whole store, and one for each product. It is live while
 * `now < expiresAt`; the table deletes it some time after that. If it was revoked, its expiry is empty. Times are as
 * `timestamp` writes them.
 */
export interface AppliedCoupon extends Key {
  couponId: string;
  /** The coupon's values and the customer's name when it was applied, for its event. */
  code: string;
  discount: number;
  username: string;
  couponOwnerUuid: string;
  expiresAt: string;
  /** The expiry of the application that this one replaced; empty if there was none, or it was revoked. */
  earlier: string;
}

/** The coupon applied for a product, or to the whole store. It may have lapsed. */
export const findApplication = (
  store: string,
  customer: string,
  productId: string | undefined,
): Promise<AppliedCoupon | undefined> => get<AppliedCoupon>(appliedKey(store, customer, productId));

/** An application, with its coupon as the coupon was when it was applied. */
export const readApplied = ({ pk, sk, couponId, code, discount, username, expiresAt }: AppliedCoupon) => {
  const [, productId] = sk.split('#');
  const customerUuid = pk.split('#')[2] ?? '';
  return {
    couponId,
    code,
    discount,
    ...(productId === undefined ? { scope: 'store' as const } : { scope: 'product' as const, productId }),
    customerUuid,
    customerUsername: username,
    expiresAt,
  };
};

const hourMillis = 3_600_000;

const findOwner = async (store: string, { couponOwnerUuid }: CouponChoice) =>
  couponOwnerUuid === undefined ? {} : { couponOwnerUuid: await findResident(store, { uuid: couponOwnerUuid }) };

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
    findStoreResident(store, identifier),
    findOwner(store, choice),
    findChosen(store, choice, at),
    productId === undefined || hasProduct(store, productId),
  ]);
  refuseUnknown({ identifier: customer, ...owner });
  if (!customer || !coupon || !hasIt) throw notFound();
  if (!coupon.active) throw invalid('The coupon is not active.');
  if (coupon.expiration <= at) throw invalid('The coupon has expired.');
  const { id: couponId, code, discount, couponOwnerUuid } = coupon;
  const millis = start + expiresInHours * hourMillis;
  const expiresAt = timestamp(millis);
  const answer = ({ earlier }: AppliedCoupon) => ({
    couponId,
    code,
    discount,
    scope: productId === undefined ? ('store' as const) : ('product' as const),
    ...(productId !== undefined && { productId }),
    customerUuid: customer.uuid,
    customerUsername: customer.username,
    expiresAt,
    // A lapsed application does not count as an earlier one.
    replaced: earlier > at,
  });
  const { username } = customer;
  const ofEvent = { code, discount, username };
  const set = { couponId, couponOwnerUuid, ...ofEvent, expiresAt, [ttlAttribute]: Math.ceil(millis / 1000) };
  const applying = update(appliedKey(store, customer.uuid, productId), {
    set: { ...set, earlier: copyOf('expiresAt', '') },
  });
  const how = { answer, together: newCustomerWrites(store, customer) };
  const outcome = await write<AppliedCoupon, ReturnType<typeof answer>>(applying, how);
  if (!outcome.done) throw new Error('An update without a condition was refused.');
  return outcome.result;
};

/**
 * Ends the customer's live application of this coupon at this scope. With `owner` it ends an application of any of the
 * owner's coupons. Its item stays for a day, so that a late copy of a request to apply finds a newer stamp, and does
 * not bring the application back. Throws 400 for residents who do not exist, 404 for a coupon that the store does not
 * have.
 */
export const revokeCoupon = async (
  store: string,
  identifier: Identifier,
  { productId, ...choice }: CouponChoice & { productId?: string | undefined },
): Promise<{ revoked: boolean }> => {
  const start = now();
  const at = timestamp(start);
  const [customer, owner, coupon] = await Promise.all([
    findResident(store, identifier),
    findOwner(store, choice),
    findChosen(store, choice, at),
  ]);
  refuseUnknown({ identifier: customer, ...owner });
  if (!customer || !coupon) throw notFound();
  const { couponOwnerUuid } = choice;
  const isChosen = couponOwnerUuid === undefined ? is('couponId', coupon.id) : is('couponOwnerUuid', couponOwnerUuid);
  const isLive = above('expiresAt', at);
  const set = { expiresAt: '', [ttlAttribute]: Math.ceil((start + 24 * hourMillis) / 1000) };
  const revoking = update(appliedKey(store, customer.uuid, productId), { set, when: all(isChosen, isLive) });
  const { done } = await write(revoking, { answer: () => ({ revoked: true }) });
  return { revoked: done };
};

const isStoreWide = ({ sk }: Key): boolean => sk === 'store';

/**
 * The place in a customer's list. The application to the whole store comes first, then applications to products, by the
 * products' ids.
 */
const listPosition = (key: Key): string => (isStoreWide(key) ? '0' : key.sk);

const listApplications = (store: string, customer: string): Source<AppliedCoupon> => {
  const key = appliedKey(store, customer, undefined);
  const rows = rowsOf<AppliedCoupon>({ partition: key.pk });
  const place = listPosition(key);
  const storeWide: Source<AppliedCoupon> = async ({ descending, from }) => {
    const isPassed = from && (descending ? place > from.position : place < from.position);
    const isLeftOut = from?.position === place && !from.inclusive;
    return isPassed || isLeftOut ? [] : getMany([key], { consistent: true });
  };
  // In the table's order the store-wide application comes last.
  const ofProducts: Source<AppliedCoupon> = async (range) => {
    const start = range.descending && !range.from ? { from: { position: key.sk, inclusive: false } } : {};
    return (await rows({ ...range, ...start })).filter((row) => !isStoreWide(row));
  };
  return merged([storeWide, ofProducts], listPosition);
};

/** The coupons that count for a customer now: applied and not lapsed, active and not expired. */
export const listAppliedCoupons = (store: string, { uuid, username }: Resident) => {
  const at = timestamp(now());
  return loaded(listApplications(store, uuid), listPosition, async (applications) => {
    const live = applications.filter(({ expiresAt }) => expiresAt > at);
    const keys = live.map(({ couponId }) => couponKey(store, couponId));
    const coupons = new Map((await getMany<CouponItem>(keys, { consistent: true })).map((item) => [item.id, item]));
    return live.flatMap(({ couponId, expiresAt, ...key }) => {
      const coupon = coupons.get(couponId);
      if (!coupon?.active || coupon.expiration <= at) return [];
      const [, productId] = key.sk.split('#');
      return {
        couponId,
        code: coupon.code,
        discount: coupon.discount,
        scope: productId === undefined ? ('store' as const) : ('product' as const),
        ...(productId !== undefined && { productId }),
        customerUuid: uuid,
        customerUsername: username,
        expiresAt,
        place: listPosition(key),
      };
    });
  });
};
