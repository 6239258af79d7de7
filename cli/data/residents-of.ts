import { type Coupon, listCoupons } from '../../lib/store/coupons.ts';
import { type CustomerItem, listCustomerItems } from '../../lib/store/customers.ts';
import { type GiftCardItem, listStoreCards } from '../../lib/store/gift-cards.ts';
import { listStoredProducts, type StoredProduct } from '../../lib/store/products.ts';
import { getResidents, type StoredResident } from '../../lib/store/residents.ts';
import { everyRow } from '../../lib/table/query.ts';

/** Residents at a time. */
const stride = 500;

/** The residents to whom anything in a store refers, with all their names, in the order of their UUIDs. */
export async function* listResidentsOf(store: string): AsyncGenerator<StoredResident> {
  const uuids = new Set<string>();
  for await (const { sk } of everyRow<CustomerItem>(listCustomerItems(store), (item) => item.sk)) uuids.add(sk);
  for await (const coupon of everyRow<Coupon>(listCoupons(store, undefined), ({ id }) => id))
    uuids.add(coupon.couponOwnerUuid);
  for await (const card of everyRow<GiftCardItem>(listStoreCards(store), ({ sk }) => sk)) uuids.add(card.ownerUuid);
  for await (const { profitShares } of everyRow<StoredProduct>(listStoredProducts(store), ({ sk }) => sk))
    for (const { userUuid } of profitShares) uuids.add(userUuid);
  const sorted = [...uuids].sort();
  for (let i = 0; i < sorted.length; i += stride) yield* await getResidents(sorted.slice(i, i + stride));
}
