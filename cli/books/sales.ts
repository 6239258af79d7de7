import { setTimeout as sleep } from 'node:timers/promises';
import { everyRow } from '../../lib/lists/source.ts';
import { shareOf } from '../../lib/price.ts';
import { buyerList, listedAs, listSales, type SaleItem, saleItems } from '../../lib/sale/sales.ts';
import { type CouponUses, couponUsesKey } from '../../lib/store/coupon-uses.ts';
import { listStoredProducts } from '../../lib/store/products.ts';
import { saleKey } from '../../lib/store/sale-state.ts';
import type { Key } from '../../lib/table/schema.ts';
import { get, getMany, rowsOf } from '../../lib/table/table.ts';
import { scanStore } from '../deployment/scan.ts';
import { type Check, forEvery } from './checks.ts';

/** The checks of sales, and of the stock and the coupons' uses that they count. */

const sharesFaults = ({ shares, paid, change, state }: SaleItem): string[] => {
  let left = state === 'refused' ? 0 : paid - change;
  const kept = left;
  return shares.flatMap(({ residentUuid, kind, percent, amount }) => {
    const due = Math.min(shareOf(kept, percent), left);
    left -= amount;
    return amount === due ? [] : [`owes ${residentUuid} L$ ${amount} as ${kind}, not L$ ${due}`];
  });
};

/** The rules that a sale keeps by itself. Answers what is wrong, a sentence each. */
const saleFaults = (store: string, sale: SaleItem): string[] => {
  const { sk, state, refusal, total, credit, restrictedCredit, paid, refund, change, refundedAt } = sale;
  const faults = sharesFaults(sale);
  if ((state === 'refused') !== (refusal !== null)) faults.push(`is ${state}, with the refusal ${refusal}`);
  if ((state === 'refunded') !== (refundedAt !== undefined)) faults.push(`is ${state}, refunded at ${refundedAt}`);
  if (state !== 'refused' && credit + restrictedCredit + paid - change !== total)
    faults.push(`costs L$ ${total}, but L$ ${credit + restrictedCredit + paid - change} paid for it`);
  const due = state === 'completed' ? change : paid;
  if (refund !== due) faults.push(`gives L$ ${refund} back, not L$ ${due}`);
  for (const [name, place] of Object.entries(listedAs(store, sale)))
    if (sale[name as keyof SaleItem] !== place)
      faults.push(`is listed at ${sale[name as keyof SaleItem]}, not ${place}`);
  return faults.map((fault) => `sale ${sk}: ${fault}.`);
};

/** Each sale adds up, its shares are those of what it kept, and it stands in its lists. */
export const checkSales: Check = (store, listener) =>
  forEvery(
    everyRow(listSales(store), ({ sk }) => sk),
    listener,
    async ({ sk }) => {
      const sale = await get<SaleItem>(saleKey(store, sk));
      if (!sale) return [];
      const items = saleItems(store, sale);
      const missing = items.length - (await getMany(items, { consistent: true })).length;
      return [
        ...saleFaults(store, sale),
        ...(missing > 0 ? [`sale ${sk}: is not in the list of its buyer ${sale.buyerUuid}.`] : []),
      ];
    },
  );

/** No product has fewer copies left than none. */
export const checkStock: Check = (store, listener) =>
  forEvery(
    everyRow(listStoredProducts(store), ({ id }) => id),
    listener,
    async ({ id, name, availableAmount }) =>
      Number.isSafeInteger(availableAmount) && availableAmount >= 0
        ? []
        : [`product ${id} (${name}): ${availableAmount} copies are left.`],
  );

interface Use {
  customer: string;
  couponId: string;
}

/** The uses of a coupon by a customer, as they are counted and as their sales say, read one after the other. */
const usesOf = async (store: string, { customer, couponId }: Use): Promise<[counted: number, made: number]> => {
  const counted = (await get<CouponUses>(couponUsesKey(store, customer, couponId)))?.uses ?? 0;
  let made = 0;
  for await (const place of everyRow(rowsOf<Key>({ partition: buyerList(store, customer) }), ({ sk }) => sk)) {
    const sale = await get<SaleItem>(saleKey(store, place.sk.split('#')[1] ?? ''));
    if (sale?.state === 'completed' && sale.coupon?.id === couponId) made += 1;
  }
  return [counted, made];
};

const looks = 5;

/**
 * The uses of a coupon by a customer are their completed sales with it. Reads the whole table, since no item leads to
 * all uses, and what differs once more by the list of the buyer, since sales are made meanwhile.
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
      const [counted, made] = await usesOf(store, { customer, couponId });
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
