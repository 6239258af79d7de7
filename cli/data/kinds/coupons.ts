import { createCoupon } from '../../../lib/routes/coupons.ts';
import { timestamp } from '../../../lib/routes/timestamp.ts';
import { identifier, integer } from '../../../lib/routes/wire.ts';
import { foldedCode } from '../../../lib/store/coupon-codes.ts';
import { type CouponItem, listCoupons, never } from '../../../lib/store/coupons.ts';
import { everyRow } from '../../../lib/table/query.ts';
import { createdAtOf, coupons as importer } from '../../plans/coupons.ts';
import { foreignId } from '../columns.ts';
import type { Kind } from '../kinds.ts';

// What a file may say of a coupon is at least what a request may say of it, by the same checks.
const { shape } = createCoupon.body;

export const coupons: Kind = {
  name: 'coupons',
  summary: 'coupons, with limits of use and expiry',
  columns: [
    {
      name: 'id',
      form: 'text',
      check: foreignId().optional(),
      help: 'a UUID, or the id that it has in another system',
    },
    {
      name: 'code',
      form: 'text',
      check: shape.code,
      help: 'what customers type; unique in the store, whatever its case',
    },
    { name: 'owner', form: 'text', check: identifier(), help: 'who gets the commission, by UUID or username' },
    { name: 'discount', form: 'number', check: shape.discount, help: 'percent off' },
    { name: 'ownerProfit', form: 'number', check: shape.ownerProfit, help: "the owner's commission in percent" },
    { name: 'active', form: 'boolean', check: shape.active, help: 'whether it can be used' },
    {
      name: 'bloggersSync',
      form: 'boolean',
      check: shape.bloggersSync,
      help: 'whether it is kept in step with bloggers',
    },
    {
      name: 'usesPerCustomer',
      form: 'integer',
      check: integer(0).default(0),
      help: 'how often a customer may use it; 0: no limit',
    },
    {
      name: 'expiration',
      form: 'text',
      check: timestamp().default(never),
      help: 'until when; empty: it does not expire',
    },
    {
      name: 'createdAt',
      form: 'text',
      check: timestamp().optional(),
      help: "when it was made: an owner's newest coupon counts",
    },
  ],
  id: {},
  unique: ({ id, code }) => ({
    ...(id !== undefined && { id: [id as string] }),
    code: [foldedCode(code as string)],
  }),
  importer: () => importer,
  rows: async function* rows(store) {
    for await (const coupon of everyRow<CouponItem>(listCoupons(store, undefined), ({ sk }) => sk))
      yield { ...coupon, owner: coupon.couponOwnerUuid, createdAt: createdAtOf(coupon) };
  },
};
