import {
  type CouponItem,
  couponItems,
  createdAtOf,
  findCodeHolder,
  findCoupon,
  listCoupons,
  never,
  normalisedCode,
} from '../../../lib/catalogue/coupons.ts';
import { now, timestamp } from '../../../lib/clock.ts';
import { everyRow } from '../../../lib/lists/source.ts';
import { couponImporter } from '../../../lib/operator/imports/coupons.ts';
import { createCoupon } from '../../../lib/routes/coupons.ts';
import { timestamp as wireTimestamp } from '../../../lib/routes/timestamp.ts';
import { identifier, integer } from '../../../lib/routes/wire.ts';
import { partition } from '../../../lib/table/keys.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { rowsOf } from '../../../lib/table/table.ts';
import { type Check, forEvery } from './audit.ts';
import { columns, idHelp, optionalId, optionalTime, rowsFrom } from './columns.ts';
import type { Kind } from './kind.ts';
import { matching, personal } from './personal.ts';

const coupon = createCoupon.body.shape;

export const findCoupons = (store: string, uuid: string): Promise<CouponItem[]> =>
  matching(listCoupons(store, undefined), (coupon) => coupon.couponOwnerUuid === uuid);

/** The code of each coupon is reserved for it. */
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

/** Each reserved code belongs to a coupon that has it. */
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

export const coupons: Kind = {
  file: {
    name: 'coupons',
    summary: 'coupons, with limits of use and expiry',
    columns: columns({
      id: ['text', optionalId, idHelp],
      code: ['text', coupon.code, 'the code that customers type; unique in the store, whatever its case'],
      owner: ['person', identifier(), 'who gets the commission, by UUID or username'],
      discount: ['number', coupon.discount, 'percent off'],
      ownerProfit: ['number', coupon.ownerProfit, "the owner's commission in percent"],
      active: ['boolean', coupon.active, 'whether it can be used'],
      bloggersSync: ['boolean', coupon.bloggersSync, 'whether it is kept in step with bloggers'],
      usesPerCustomer: ['integer', integer(0).default(0), 'how often a customer may use it; 0: no limit'],
      expiration: ['end', wireTimestamp().default(never), 'when it expires; empty: never'],
      createdAt: ['text', optionalTime, "when it was created: an owner's newest coupon counts"],
    }),
    id: { madeOf: ({ code }) => normalisedCode(code as string) },
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
        const { id, usesPerCustomer, expiration } = coupon;
        const imported = { id, usesPerCustomer, expiration, createdAt: createdAtOf(coupon) };
        return couponItems(store, { uuid: pseudonym, username: pseudonym }, coupon, imported).coupon;
      },
    }),
  ],
  audit: [
    { what: 'coupons', check: checkCoupons, holds: 'each holds its code' },
    { what: 'codes', check: checkCodes, holds: 'each is held by a coupon that has it' },
  ],
};
