import { type Key, partition } from '../../lib/table/schema.ts';
import { rowsOf } from '../../lib/table/table.ts';
import type { Kind } from './kind.ts';
import { all, personal } from './personal.ts';

/** Coupons that customers have applied for their next purchases. */
export const appliedCoupons: Kind = {
  personal: [
    personal<Key>({
      words: ['applied coupon', 'applied coupons'],
      effect: 'deleted',
      find: (store, uuid) => all(rowsOf<Key>({ partition: partition(store, 'APPLIED', uuid) })),
      kept: () => undefined,
    }),
  ],
};
