import type { Resident } from '../../avatars/residents.ts';
import { type CouponItem, couponItems, createdAtOf, never, normalisedCode } from '../../catalogue/coupons.ts';
import { withSettings } from '../../catalogue/told.ts';
import { now, timestamp } from '../../clock.ts';
import { codeKey, couponKey } from '../../table/keys.ts';
import { check, is, isNew, put, remove, unchanged, type Write } from '../../table/language.ts';
import type { Key } from '../../table/schema.ts';
import { getMany } from '../../table/table.ts';
import { type Fault, type Group, type Importer, type Row, replacing, type Setting, type Undoing } from './rows.ts';

export interface CouponFields {
  /** By default the id of the stored coupon with this code or, if there is none, `madeId`. */
  id?: string | undefined;
  /** An id that is made from the code. */
  madeId?: string;
  code: string;
  owner: Resident;
  discount?: number;
  ownerProfit?: number;
  active?: boolean;
  bloggersSync?: boolean;
  usesPerCustomer?: number;
  expiration?: string;
  createdAt?: string | undefined;
}

const unset = { discount: 0, ownerProfit: 0, active: true, bloggersSync: false, usesPerCustomer: 0, expiration: never };

const settingsOf = ({ code, discount, ownerProfit, active, bloggersSync, ...coupon }: CouponItem) => {
  const { usesPerCustomer, expiration } = coupon;
  return { code, discount, ownerProfit, active, bloggersSync, usesPerCustomer, expiration };
};

/** The coupon that a code names. A restored table may have one of the two without the other. */
interface Holder {
  id: string;
  coupon: CouponItem | undefined;
}

/** Tells whether the coupon that a code names has that code. If not, the code is free. */
const hasCode = ({ coupon }: Holder, code: string): boolean => coupon?.folded === code;

/** The writes of the item that holds a coupon's code. */
const codeWrites = (
  { id, folded }: CouponItem,
  code: Key & { id: string },
  stored: CouponItem | undefined,
  holder: Holder | undefined,
  store: string,
): Write[] => {
  const writes = stored && stored.folded !== folded ? [remove(codeKey(store, stored.folded))] : [];
  if (holder?.id === id) return writes;
  writes.push(put(code, holder ? is('id', holder.id) : isNew));
  if (holder) writes.push(check(couponKey(store, holder.id), unchanged(holder.coupon)));
  return writes;
};

const couponFault = (
  { code, owner: { uuid } }: CouponFields,
  stored: CouponItem | undefined,
  id: string,
  holder: Holder | undefined,
): Fault | undefined => {
  if (stored && stored.couponOwnerUuid !== uuid) {
    const message = `must be ${stored.couponOwnerUuid}: the owner of a coupon cannot be changed`;
    return { field: 'owner', value: uuid, message };
  }
  if (!holder || holder.id === id || !hasCode(holder, normalisedCode(code))) return undefined;
  return { field: 'code', value: code, message: `must be unique in the store: the coupon ${holder.id} has it` };
};

/** This store's own limits and switches that a row undoes. */
const undoneBy = (made: CouponItem, stored: CouponItem | undefined): Undoing[] => {
  if (!stored) return [];
  const { usesPerCustomer: most, expiration, active } = stored;
  const isLooser = most > 0 && (made.usesPerCustomer === 0 || made.usesPerCustomer > most);
  return [
    ...(made.active && !active ? (['coupon on'] as const) : []),
    ...(isLooser ? (['limit of uses'] as const) : []),
    ...(made.expiration > expiration ? (['end of a coupon'] as const) : []),
  ];
};

const couponGroup = (
  row: Row<CouponFields>,
  id: string,
  { stored, holder }: { stored: CouponItem | undefined; holder: Holder | undefined },
  { store, isMove = false }: Setting,
): Group<CouponFields> => {
  const { id: _, madeId: __, owner, createdAt, ...fields } = row.fields;
  const fault = couponFault(row.fields, stored, id, holder);
  if (fault) return { rows: [row], outcome: fault };
  const { code, discount, ownerProfit, active, bloggersSync, ...limits } = { ...unset, ...stored, ...fields };
  const { usesPerCustomer, expiration } = limits;
  const since = createdAt ?? (stored ? createdAtOf(stored) : timestamp(now()));
  const request = { code, discount, ownerProfit, active, bloggersSync };
  const items = couponItems(store, owner, request, { id, usesPerCustomer, expiration, createdAt: since });
  const made = withSettings(stored, items.coupon, { settingsOf, isMove });
  const coupon = made ?? stored ?? items.coupon;
  // If a coupon that was renamed here keeps its new code, the row's code is not its own.
  const hasThisCode = coupon.folded === items.code.sk;
  const writes = [
    ...(made ? replacing<Key>(stored, made) : []),
    ...(hasThisCode ? codeWrites(coupon, items.code, stored, holder, store) : []),
  ];
  if (writes.length === 0) return { rows: [row], outcome: 'unchanged' };
  return { rows: [row], outcome: stored ? 'changed' : 'created', writes, undoes: made ? undoneBy(made, stored) : [] };
};

/** Coupons, with fields that no request to create one sets: the limit of uses, the expiry and the time of creation. */
export const couponImporter: Importer<CouponFields> = {
  plan: async (rows, setting) => {
    const { store } = setting;
    const codes = rows.map(({ fields }) => codeKey(store, normalisedCode(fields.code)));
    const held = await getMany<Key & { id: string }>(codes, { consistent: true });
    const holders = new Map(held.map(({ sk, id }) => [sk, id]));
    const holderOf = ({ fields }: Row<CouponFields>): string | undefined => holders.get(normalisedCode(fields.code));
    const idOf = (row: Row<CouponFields>): string => row.fields.id ?? holderOf(row) ?? row.fields.madeId ?? '';
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
