import { findCategory, listCategories, listMembers } from '../../lib/store/categories.ts';
import { findCodeHolder, foldedCode } from '../../lib/store/coupon-codes.ts';
import { findCoupon, listCoupons } from '../../lib/store/coupons.ts';
import { customerKey } from '../../lib/store/customers.ts';
import type { GiftCard } from '../../lib/store/gift-cards.ts';
import { findResident } from '../../lib/store/residents.ts';
import { scanStore } from '../../lib/store/stores.ts';
import { everyRow, getMany, type Key, rowsOf } from '../../lib/table/query.ts';
import { partition } from '../../lib/table/table.ts';
import { type Check, faultsOf, forEvery } from './check.ts';

const couponFaults = async (store: string, id: string): Promise<string[]> => {
  const coupon = await findCoupon(store, id);
  if (!coupon) return [];
  if (coupon.folded !== foldedCode(coupon.code))
    return [`coupon ${id}: its code ${coupon.code} is noted as ${coupon.folded}.`];
  const holder = await findCodeHolder(store, coupon.folded);
  return holder === id ? [] : [`coupon ${id}: its code ${coupon.code} belongs to ${holder ?? 'no coupon'}.`];
};

/** Each coupon holds its code. */
export const checkCoupons: Check = (store, listener) =>
  forEvery(
    everyRow(listCoupons(store, undefined), ({ sk }) => sk),
    listener,
    async ({ id }) => {
      for (const fault of await faultsOf(() => couponFaults(store, id))) listener.onFault(fault);
    },
  );

const codeFaults = async (store: string, code: string): Promise<string[]> => {
  const holder = await findCodeHolder(store, code);
  const coupon = holder === undefined ? undefined : await findCoupon(store, holder);
  return holder === undefined || coupon?.folded === code
    ? []
    : [`code ${code}: the coupon ${holder} that holds it has not got it.`];
};

/** Each code that is taken is taken by a coupon that has it. */
export const checkCodes: Check = (store, listener) =>
  forEvery(
    everyRow(rowsOf<Key>({ partition: partition(store, 'CODE') }), ({ sk }) => sk),
    listener,
    async ({ sk }) => {
      for (const fault of await faultsOf(() => codeFaults(store, sk))) listener.onFault(fault);
    },
  );

const categoryFaults = async (store: string, id: string): Promise<string[]> => {
  let members = 0;
  for await (const _ of everyRow(listMembers(store, id), ({ sk }) => sk)) members += 1;
  const category = await findCategory(store, id);
  if (!category || category.productCount === members) return [];
  return [`category ${id} (${category.name}): counts ${category.productCount} products, ${members} are in it.`];
};

/** A category's count is that of its memberships. */
export const checkCategories: Check = (store, listener) =>
  forEvery(
    everyRow(listCategories(store), ({ id }) => id),
    listener,
    async ({ id }) => {
      for (const fault of await faultsOf(() => categoryFaults(store, id))) listener.onFault(fault);
    },
  );

/** A gift card's owner is a resident. */
export const checkGiftCards: Check = (store, listener) =>
  forEvery(
    everyRow(rowsOf<GiftCard>({ partition: partition(store, 'GIFTCARD') }), ({ id }) => id),
    listener,
    async ({ id, ownerUuid }) => {
      if (!(await findResident({ uuid: ownerUuid })))
        listener.onFault(`gift card ${id}: its owner ${ownerUuid} is no resident.`);
    },
  );

/** Partitions that belong to a customer. */
const ofCustomer = /^[^#]+#(LOT|OWNED|APPLIED)#(.+)$/;

/** Whatever belongs to a customer belongs to one who is there. Reads the whole table, since nothing leads to what does not. */
export const checkStrays: Check = async (store, { onFault, onChecked }) => {
  let count = 0;
  const known = new Set<string>();
  for await (const keys of scanStore(store)) {
    count += keys.length;
    onChecked(count);
    const owners = new Map(
      keys.flatMap(({ pk }) => {
        const [, kind = '', uuid] = ofCustomer.exec(pk) ?? [];
        return uuid === undefined ? [] : [[uuid, kind] as const];
      }),
    );
    const found = await getMany(
      [...owners.keys()].map((uuid) => customerKey(store, uuid)),
      { consistent: true },
    );
    const there = new Set(found.map(({ sk }) => sk));
    for (const [uuid, kind] of owners) {
      if (there.has(uuid) || known.has(uuid)) continue;
      known.add(uuid);
      onFault(`customer ${uuid}: there are items of the kind ${kind}, but no customer.`);
    }
  }
  return count;
};
