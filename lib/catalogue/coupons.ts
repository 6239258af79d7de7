import { createHash } from 'node:crypto';
import type { Resident } from '../avatars/residents.ts';
import { newId, now, timestamp } from '../clock.ts';
import { loaded, merged, type Source } from '../lists/source.ts';
import { normalised } from '../normalise.ts';
import { invalid, notFound, type Problem } from '../problem.ts';
import type { Coupon, CouponChoice, CouponFields, CouponLimits } from '../routes/coupons.ts';
import { type Decision, decide, writeAll, writeOne } from '../table/decide.ts';
import { codeKey, couponKey, partition } from '../table/keys.ts';
import { type Condition, copyOf, is, isNew, put, remove, unchanged, update, updated } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { get, getMany, type Precondition, rowsOf, transact, updateExisting } from '../table/table.ts';

/** A coupon as stored. */
export interface CouponItem extends Coupon, Key {
  /** The code as codes are compared: it names the item under `codeKey`. */
  folded: string;
  flags: string;
  ranked: string;
  /** Its place in its owner's list: the time of its creation, then its id. */
  rank: string;
  /** The two values that `ranked` can have, so that an update that does not know the owner can set it. */
  rankedOn: string;
  rankedOff: string;
  /** See told.ts. */
  told?: string;
}

/** The time of a coupon's creation, with which its rank begins. */
export const createdAtOf = ({ rank }: Pick<CouponItem, 'rank'>): string => rank.slice(0, rank.indexOf('#'));

/** Fields that a request to create a coupon does not set. */
export interface ImportedCoupon {
  id?: string;
  usesPerCustomer?: number;
  expiration?: string;
  createdAt?: string;
}

export const never = '9999-12-31T23:59:59.999Z';

// A sort key holds at most 1024 bytes. Hardly any code is longer, since few characters normalise to many more bytes.
const maxKeyBytes = 1024;

/** A code as codes are compared. Codes that differ in case alone are the same code. */
export const normalisedCode = (code: string): string => {
  const text = normalised(code);
  return Buffer.byteLength(text) <= maxKeyBytes ? text : `sha256:${createHash('sha256').update(text).digest('hex')}`;
};

/** The id of the coupon that has a code (normalised). */
export const findCodeHolder = async (store: string, code: string): Promise<string | undefined> =>
  (await get<{ id: string }>(codeKey(store, code)))?.id;

const codeFault = 'code must be unique in the store, whatever its case: another coupon has it.';

const codeTaken = (): Problem => invalid(codeFault);

/** The message about a code that another coupon of the store has, or none. */
export const codeFaults = async (store: string, code: string): Promise<string[]> =>
  (await findCodeHolder(store, normalisedCode(code))) === undefined ? [] : [codeFault];

const flagsOf = (store: string, active: boolean): string => partition(store, 'COUPON', String(Number(active)));

/** The partition of an owner's coupons, active or inactive, in the index by rank. */
const rankedOf = (store: string, owner: string, active: boolean): string =>
  partition(store, 'COUPON', `owner#${owner}#${Number(active)}`);

/** The items of a new coupon and of its code. */
export const couponItems = (
  store: string,
  owner: Resident,
  fields: CouponFields,
  { createdAt = timestamp(now()), ...imported }: ImportedCoupon = {},
): { coupon: CouponItem; code: Key & { id: string } } => {
  const coupon = { ...fields, id: newId(), usesPerCustomer: 0, expiration: never, ...imported };
  const rankedOn = rankedOf(store, owner.uuid, true);
  const rankedOff = rankedOf(store, owner.uuid, false);
  const folded = normalisedCode(coupon.code);
  return {
    coupon: {
      ...couponKey(store, coupon.id),
      ...coupon,
      couponOwnerUuid: owner.uuid,
      couponOwnerUsername: owner.username,
      folded,
      flags: flagsOf(store, coupon.active),
      ranked: coupon.active ? rankedOn : rankedOff,
      rank: `${createdAt}#${coupon.id}`,
      rankedOn,
      rankedOff,
    },
    code: { ...codeKey(store, folded), id: coupon.id },
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
  const refusals = await transact([put(coupon, isNew), put(code, isNew)], { answer: coupon });
  if (refusals?.[0]?.refused) throw invalid('id must be new: another coupon of the store has it.');
  if (refusals) throw codeTaken();
  return coupon;
};

/**
 * Replaces a coupon's fields. The owner and the limits stay. It is one write if the code changes in case alone,
 * otherwise a transaction that also moves the code. Throws 404, 412, or 400 if another coupon has the code.
 */
export const updateCoupon = async (
  store: string,
  id: string,
  fields: CouponFields,
  ifMatch?: Precondition,
): Promise<Coupon> => {
  const folded = normalisedCode(fields.code);
  const ranked = copyOf(fields.active ? 'rankedOn' : 'rankedOff');
  const set = { ...fields, folded, flags: flagsOf(store, fields.active), ranked };
  const replacing = (when: Condition) => update(couponKey(store, id), { set, when });
  const moveCode = async (found: CouponItem | undefined): Promise<Decision<Coupon>> => {
    if (!found) throw notFound();
    try {
      ifMatch?.(found);
    } catch (failure) {
      // A taken code is a fault of the body, which is reported before a wrong ETag.
      throw (await findCodeHolder(store, folded)) === undefined ? failure : codeTaken();
    }
    const writes = [
      updated(found, { set, when: ifMatch ? unchanged(found) : is('folded', found.folded) }),
      remove(codeKey(store, found.folded)),
      put({ ...codeKey(store, folded), id }, isNew),
    ];
    return writeAll<Coupon>(writes, {
      result: { ...found, ...fields },
      ifRefused: ({ by }) => {
        if (!by(found)) throw codeTaken();
        // Another request has changed the coupon's code again.
        return undefined;
      },
    });
  };
  return decide(() =>
    writeOne<CouponItem, Coupon>(replacing(is('folded', folded)), {
      result: (coupon) => coupon,
      ifMatch,
      ifRefused: moveCode,
    }),
  );
};

/** Sets until when a coupon can be applied, and how often by one customer. Throws 404, and 412. */
export const limitCoupon = (
  store: string,
  id: string,
  { expiration, usesPerCustomer }: CouponLimits,
  ifMatch?: Precondition,
): Promise<Coupon> =>
  updateExisting<CouponItem, Coupon>(
    couponKey(store, id),
    { set: { expiration: expiration ?? never, usesPerCustomer } },
    { answer: (coupon) => coupon, ifMatch },
  );

export const findCoupon = (store: string, id: string): Promise<CouponItem | undefined> =>
  get<CouponItem>(couponKey(store, id));

/** Throws 404. */
export const getCoupon = async (store: string, id: string): Promise<Coupon> => {
  const coupon = await findCoupon(store, id);
  if (!coupon) throw notFound();
  return coupon;
};

/** Reads the coupons that an index lists, and drops coupons that no longer pass: the index may be behind the table. */
const couponsOf = <K extends Key>(
  keys: Source<K>,
  positionOf: (key: K) => string,
  passes: (item: Coupon) => boolean,
  { consistent = false } = {},
) => loaded(keys, positionOf, async (rows) => (await getMany<CouponItem>(rows, { consistent })).filter(passes));

/** A store's coupons, in the order of their ids. */
export const listCoupons = (store: string, active: boolean | undefined): Source<CouponItem> =>
  active === undefined
    ? rowsOf({ partition: partition(store, 'COUPON') })
    : couponsOf(
        rowsOf<Key>({ partition: flagsOf(store, active), index: 'byFlags' }),
        ({ sk }) => sk,
        (coupon) => coupon.active === active,
      );

type RankedKey = Key & { rank: string };

const byRank = ({ rank }: RankedKey): string => rank;

/** The keys of an owner's coupons, the oldest first. */
export const ownersCoupons = (store: string, owner: string, states = [true, false]): Source<RankedKey> =>
  merged(
    states.map((active) => rowsOf<RankedKey>({ partition: rankedOf(store, owner, active), index: 'byRank' })),
    byRank,
  );

/** The coupons that pay their commission to an avatar, the oldest first. */
export const listOwnerCoupons = (
  store: string,
  owner: string,
  { consistent = false }: { consistent?: boolean } = {},
): Source<CouponItem> => couponsOf(ownersCoupons(store, owner), byRank, () => true, { consistent });

/**
 * The owner's newest coupon that is usable at a time (as `timestamp` writes it); if none is usable, the newest.
 * Inactive coupons are in another partition of the index. Expired ones are skipped in growing strides.
 */
const findOwnersBest = async (store: string, owner: string, at: string): Promise<CouponItem | undefined> => {
  const isUsable = ({ active, expiration }: Coupon): boolean => active && at < expiration;
  // A coupon that was just switched off must not be applied.
  const usable = couponsOf(ownersCoupons(store, owner, [true]), byRank, isUsable, { consistent: true });
  const [best] = await usable({ descending: true, limit: 1 });
  if (best) return best;
  const [newest] = await listOwnerCoupons(store, owner, { consistent: true })({ descending: true, limit: 1 });
  return newest;
};

const findByCode = async (store: string, code: string): Promise<CouponItem | undefined> => {
  const folded = normalisedCode(code);
  const holder = await findCodeHolder(store, folded);
  const coupon = holder === undefined ? undefined : await findCoupon(store, holder);
  // If the coupon got another code between the two reads, nobody had this one for a moment: undefined is a true answer.
  return coupon?.folded === folded ? coupon : undefined;
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
