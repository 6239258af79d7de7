import { now, timestamp } from '../../../lib/clock.ts';
import type { Identifier } from '../../../lib/identifier.ts';
import { everyRow } from '../../../lib/lists/source.ts';
import { createCoupon } from '../../../lib/routes/coupons.ts';
import { timestamp as wireTimestamp } from '../../../lib/routes/timestamp.ts';
import { identifier, integer } from '../../../lib/routes/wire.ts';
import {
  type CouponItem,
  codeKey,
  couponItems,
  couponKey,
  findCodeHolder,
  findCoupon,
  listCoupons,
  never,
  normalisedCode,
} from '../../../lib/store/coupons.ts';
import { check, is, isNew, put, remove, unchanged, type Write } from '../../../lib/table/language.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { partition } from '../../../lib/table/schema.ts';
import { getMany, rowsOf } from '../../../lib/table/table.ts';
import { type Check, forEvery } from './audit.ts';
import { columns, idHelp, optionalId, optionalTime, rowsFrom } from './columns.ts';
import type { Kind } from './kind.ts';
import { matching, personal } from './personal.ts';
import {
  type Fault,
  type Group,
  type Importer,
  idFrom,
  type Row,
  replacing,
  residentOf,
  type Setting,
} from './rows.ts';

export interface CouponFields {
  /** By default the id of the stored coupon with this code, or else an id made of the code. */
  id?: string | undefined;
  code: string;
  owner: Identifier;
  discount?: number;
  ownerProfit?: number;
  active?: boolean;
  bloggersSync?: boolean;
  usesPerCustomer?: number;
  expiration?: string;
  createdAt?: string | undefined;
}

const unset = { discount: 0, ownerProfit: 0, active: true, bloggersSync: false, usesPerCustomer: 0, expiration: never };

/** The time of a coupon's creation, with which its rank begins. */
const createdAtOf = ({ rank }: Pick<CouponItem, 'rank'>): string => rank.slice(0, rank.indexOf('#'));

/**
 * The coupon that a code names. A restored table may have the code without the coupon, or the coupon without the code.
 */
interface Holder {
  id: string;
  coupon: CouponItem | undefined;
}

/** Says whether the coupon that a code names has that code. If not, the code is free. */
const hasCode = ({ coupon }: Holder, code: string): boolean => coupon?.folded === code;

/** The writes of a coupon and of the item that holds its code. */
const couponWrites = (
  coupon: CouponItem,
  code: Key & { id: string },
  stored: CouponItem | undefined,
  holder: Holder | undefined,
  store: string,
): Write[] => {
  const writes = replacing(stored, coupon);
  if (stored && stored.folded !== coupon.folded) writes.push(remove(codeKey(store, stored.folded)));
  if (holder?.id === coupon.id) return writes;
  writes.push(put(code, holder ? is('id', holder.id) : isNew));
  if (holder) writes.push(check(couponKey(store, holder.id), unchanged(holder.coupon)));
  return writes;
};

const couponFault = (
  { fields }: Row<CouponFields>,
  owner: string,
  stored: CouponItem | undefined,
  id: string,
  holder: Holder | undefined,
): Fault | undefined => {
  if (stored && stored.couponOwnerUuid !== owner) {
    const message = `must be ${stored.couponOwnerUuid}: the owner of a coupon cannot be changed`;
    return { field: 'owner', value: owner, message };
  }
  if (!holder || holder.id === id || !hasCode(holder, normalisedCode(fields.code))) return undefined;
  return { field: 'code', value: fields.code, message: `must be unique in the store: the coupon ${holder.id} has it` };
};

const couponGroup = (
  row: Row<CouponFields>,
  id: string,
  { stored, holder }: { stored: CouponItem | undefined; holder: Holder | undefined },
  setting: Setting,
): Group<CouponFields> => {
  const owner = residentOf(setting, row.fields.owner);
  const fault = couponFault(row, owner.uuid, stored, id, holder);
  if (fault) return { rows: [row], outcome: fault };
  const { code, discount, ownerProfit, active, bloggersSync, usesPerCustomer, expiration } = {
    ...unset,
    ...stored,
    ...row.fields,
  };
  const createdAt = row.fields.createdAt ?? (stored ? createdAtOf(stored) : timestamp(now()));
  const items = couponItems(
    setting.store,
    owner,
    { code, discount, ownerProfit, active, bloggersSync },
    { id, usesPerCustomer, expiration, createdAt },
  );
  const writes = couponWrites(items.coupon, items.code, stored, holder, setting.store);
  if (writes.length === 0) return { rows: [row], outcome: 'unchanged' };
  return { rows: [row], outcome: stored ? 'changed' : 'created', writes };
};

/** Coupons, with the fields that no request sets: the limit of uses, the expiry and the time of creation. */
export const couponImporter: Importer<CouponFields> = {
  plan: async (rows, setting) => {
    const { store } = setting;
    const codes = rows.map(({ fields }) => codeKey(store, normalisedCode(fields.code)));
    const held = await getMany<Key & { id: string }>(codes, { consistent: true });
    const holders = new Map(held.map(({ sk, id }) => [sk, id]));
    const holderOf = ({ fields }: Row<CouponFields>): string | undefined => holders.get(normalisedCode(fields.code));
    const idOf = (row: Row<CouponFields>): string =>
      row.fields.id ?? holderOf(row) ?? idFrom(store, 'coupons', normalisedCode(row.fields.code));
    const items = await getMany<CouponItem>(
      [...rows.map(idOf), ...held.map(({ id }) => id)].map((id) => couponKey(store, id)),
      { consistent: true },
    );
    const stored = new Map(items.map((item) => [item.sk, item]));
    return rows.map((row) => {
      const id = idOf(row);
      const holderId = holderOf(row);
      const holder = holderId === undefined ? undefined : { id: holderId, coupon: stored.get(holderId) };
      return couponGroup(row, id, { stored: stored.get(id), holder }, setting);
    });
  },
};

const coupon = createCoupon.body.shape;

export const findCoupons = (store: string, uuid: string): Promise<CouponItem[]> =>
  matching(listCoupons(store, undefined), (coupon) => coupon.couponOwnerUuid === uuid);

/** Each coupon holds its code. */
export const checkCoupons: Check = (store, listener) =>
  forEvery(
    everyRow(listCoupons(store, undefined), ({ sk }) => sk),
    listener,
    async ({ id }) => {
      const coupon = await findCoupon(store, id);
      if (!coupon) return [];
      const { code, folded } = coupon;
      if (folded !== normalisedCode(code)) return [`coupon ${id}: its code ${code} is noted as ${folded}.`];
      const holder = await findCodeHolder(store, folded);
      return holder === id ? [] : [`coupon ${id}: its code ${code} belongs to ${holder ?? 'no coupon'}.`];
    },
  );

/** Each code that is taken is held by a coupon that has it. */
export const checkCodes: Check = (store, listener) =>
  forEvery(
    everyRow(rowsOf<Key>({ partition: partition(store, 'CODE') }), ({ sk }) => sk),
    listener,
    async ({ sk: code }) => {
      const holder = await findCodeHolder(store, code);
      const coupon = holder === undefined ? undefined : await findCoupon(store, holder);
      if (holder === undefined || coupon?.folded === code) return [];
      return [`code ${code}: it is held by the coupon ${holder}, which does not have it.`];
    },
  );

/** Coupons. */
export const coupons: Kind = {
  file: {
    name: 'coupons',
    summary: 'coupons, with limits of use and expiry',
    columns: columns({
      id: ['text', optionalId, idHelp],
      code: ['text', coupon.code, 'the code that customers type; unique in the store, whatever its case'],
      owner: ['text', identifier(), 'who gets the commission, by UUID or username'],
      discount: ['number', coupon.discount, 'percent off'],
      ownerProfit: ['number', coupon.ownerProfit, "the owner's commission in percent"],
      active: ['boolean', coupon.active, 'whether it can be used'],
      bloggersSync: ['boolean', coupon.bloggersSync, 'whether it is kept in step with bloggers'],
      usesPerCustomer: ['integer', integer(0).default(0), 'how often a customer may use it; 0: no limit'],
      expiration: ['text', wireTimestamp().default(never), 'when it expires; empty: never'],
      createdAt: ['text', optionalTime, "when it was created: an owner's newest coupon counts"],
    }),
    id: {},
    unique: ({ id, code }) => ({
      ...(id !== undefined && { id: [id as string] }),
      code: [normalisedCode(code as string)],
    }),
    importer: () => couponImporter,
    rows: (store) =>
      rowsFrom(listCoupons(store, undefined), 'sk', (item) => ({
        ...item,
        owner: item.couponOwnerUuid,
        createdAt: createdAtOf(item),
      })),
  },
  personal: [
    personal<CouponItem>({
      words: ['coupon of theirs', 'coupons of theirs'],
      effect: 'pseudonym',
      isUpdated: true,
      find: findCoupons,
      blocker: ({ id, code, active, ownerProfit, expiration }) =>
        active && ownerProfit > 0 && timestamp(now()) < expiration
          ? `The coupon ${code} owes them a commission of ${ownerProfit} %. Switch it off, or set ownerProfit to 0 (PUT /v1/coupons/${id}).`
          : undefined,
      kept: (coupon, { store, pseudonym }) => {
        const { id, usesPerCustomer, expiration, rank } = coupon;
        const imported = { id, usesPerCustomer, expiration, createdAt: rank.slice(0, rank.indexOf('#')) };
        return couponItems(store, { uuid: pseudonym, username: pseudonym }, coupon, imported).coupon;
      },
    }),
  ],
  audit: [
    { what: 'coupons', check: checkCoupons, holds: 'each holds its code' },
    { what: 'codes', check: checkCodes, holds: 'each is held by a coupon that has it' },
  ],
};
