import { setTimeout as sleep } from 'node:timers/promises';
import type { CouponUses } from '../../../lib/catalogue/coupon-uses.ts';
import { everyRow } from '../../../lib/lists/source.ts';
import { byRank, rowsOfBuyer, type SaleItem } from '../../../lib/sale/sales.ts';
import { couponUsesKey, saleKey } from '../../../lib/table/keys.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { get, rowsOf } from '../../../lib/table/table.ts';
import { scanStore } from '../deployment/scan.ts';
import type { Check } from './audit.ts';
import type { Kind } from './kind.ts';
import { all, personal } from './personal.ts';

interface CouponUse {
  customer: string;
  couponId: string;
}

/** Reads the stored count of a customer's uses of a coupon, and then counts their completed sales with it. */
const countUses = async (
  store: string,
  { customer, couponId }: CouponUse,
): Promise<[counted: number, made: number]> => {
  const counted = (await get<CouponUses>(couponUsesKey(store, customer, couponId)))?.uses ?? 0;
  let made = 0;
  for await (const { sk } of everyRow(rowsOfBuyer(store, customer), byRank)) {
    const sale = await get<SaleItem>(saleKey(store, sk));
    if (sale?.state === 'completed' && sale.coupon?.id === couponId) made += 1;
  }
  return [counted, made];
};

const looks = 5;

/**
 * The stored uses of a coupon equal the customer's completed sales with it. Reads the whole table, since no item leads
 * to all uses. Looks at differences again, since sales are made meanwhile.
 */
export const checkUses: Check = async (store, { onFault, onChecked }) => {
  const differences = new Map<string, number>();
  const used = new Set<string>();
  const add = (customer: string, couponId: string, step: number): void => {
    const place = `${customer} ${couponId}`;
    used.add(place);
    differences.set(place, (differences.get(place) ?? 0) + step);
  };
  for await (const items of scanStore(store, ['uses', 'state', 'buyerUuid', 'coupon']))
    for (const item of items as unknown as (Partial<SaleItem> & Key & { uses?: number })[]) {
      const [, kind, customer = ''] = item.pk.split('#');
      if (kind === 'USE') add(customer, item.sk, item.uses ?? 0);
      if (kind === 'SALE' && item.state === 'completed' && item.coupon) add(item.buyerUuid ?? '', item.coupon.id, -1);
      onChecked(used.size);
    }
  for (const [place, difference] of differences) {
    if (difference === 0) continue;
    const [customer = '', couponId = ''] = place.split(' ');
    for (let look = 1; ; look++) {
      const [counted, made] = await countUses(store, { customer, couponId });
      if (counted === made) break;
      if (look === looks) {
        onFault(`coupon ${couponId}: ${customer} is counted to have used it ${counted} times, not ${made}.`);
        break;
      }
      await sleep(20 * look);
    }
  }
  return used.size;
};

export const couponUses: Kind = {
  personal: [
    personal<CouponUses>({
      words: ['count of uses of a coupon', 'counts of uses of coupons'],
      effect: 'pseudonym',
      find: (store, uuid) => all(rowsOf<CouponUses>({ partition: couponUsesKey(store, uuid, '').pk })),
      kept: (use, { store, pseudonym }) => ({ ...use, ...couponUsesKey(store, pseudonym, use.sk) }),
      merged: (use, there) => ({ ...there, uses: use.uses + there.uses }),
    }),
  ],
  audit: [{ what: 'uses of coupons', check: checkUses, holds: 'uses = sales with the coupon that were not refunded' }],
};
