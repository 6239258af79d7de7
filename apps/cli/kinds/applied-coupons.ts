import { now, timestamp } from '../../../lib/clock.ts';
import { appliedImporter } from '../../../lib/operator/imports/applied-coupons.ts';
import { timestamp as wireTimestamp } from '../../../lib/routes/timestamp.ts';
import { identifier } from '../../../lib/routes/wire.ts';
import type { AppliedCoupon } from '../../../lib/store/applied-coupons.ts';
import { type Key, partition } from '../../../lib/table/schema.ts';
import { rowsOf } from '../../../lib/table/table.ts';
import { partitionsOf } from '../deployment/scan.ts';
import { columns, foreignId, type Values } from './columns.ts';
import type { Kind } from './kind.ts';
import { all, personal } from './personal.ts';

/** The applications of a store that are in force, in the order of the customers' UUIDs. */
async function* listApplied(store: string): AsyncGenerator<Values> {
  const at = timestamp(now());
  for (const pk of [...(await partitionsOf(store, 'APPLIED')).keys()].sort())
    for (const { sk, couponId, expiresAt } of await rowsOf<AppliedCoupon>({ partition: pk })({ descending: false })) {
      const [, product] = sk.split('#');
      if (expiresAt > at) yield { resident: pk.slice(pk.lastIndexOf('#') + 1), coupon: couponId, product, expiresAt };
    }
}

/** Coupons that customers have applied for their next purchases. */
export const appliedCoupons: Kind = {
  file: {
    name: 'applied',
    summary: 'coupons that customers have applied, while they are in force',
    columns: columns({
      resident: ['text', identifier(), 'the customer, by UUID or username'],
      coupon: ['text', foreignId(), 'the coupon, by id', 'coupons'],
      product: [
        'text',
        foreignId().optional(),
        'the product that it counts for, by id or as the file of products names it; empty: the whole store',
        'products',
      ],
      expiresAt: ['text', wireTimestamp(), 'until when; a row whose time is over changes nothing'],
    }),
    unique: ({ resident, product }, uuidOf) => ({ resident: [`${uuidOf(resident)} ${product ?? ''}`] }),
    onlyAdded: true,
    importer: () => appliedImporter,
    rows: listApplied,
  },
  personal: [
    personal<Key>({
      words: ['applied coupon', 'applied coupons'],
      effect: 'deleted',
      find: (store, uuid) => all(rowsOf<Key>({ partition: partition(store, 'APPLIED', uuid) })),
      kept: () => undefined,
    }),
  ],
};
