import { spendableCredit } from '../credit/spendable.ts';
import type { CreditItem } from '../credit/state.ts';
import { notFound } from '../problem.ts';
import type { Product } from '../routes/products.ts';
import { findApplication } from '../store/applied-coupons.ts';
import { findCouponUses } from '../store/coupon-uses.ts';
import { findCoupon } from '../store/coupons.ts';
import { findCustomerItem } from '../store/customers.ts';
import { findProduct } from '../store/products.ts';
import { findStore, isOpen } from '../store/stores.ts';
import { type AppliedCoupon, couponThatCounts, type Facts, noPrice, type Spendable, termsOf } from './rules.ts';

/** A sale as it is asked for. */
export interface Parties {
  productId: string;
  /** Avatars' UUIDs. */
  buyer: string;
  recipient: string;
  useCredit: boolean;
}

/** An application with its coupon. None is read for one that has lapsed. */
const withCoupon = async (
  store: string,
  customer: string,
  application: Awaited<ReturnType<typeof findApplication>>,
  at: string,
): Promise<AppliedCoupon | undefined> => {
  if (!application || application.expiresAt <= at) return undefined;
  const { couponId, expiresAt } = application;
  const [coupon, uses] = await Promise.all([findCoupon(store, couponId), findCouponUses(store, customer, couponId)]);
  return coupon && { coupon, expiresAt, uses: uses?.uses ?? 0 };
};

const noCredit: Spendable = { regular: 0, restricted: 0 };

/**
 * Reads everything that a sale is decided from, in one call after another only where a coupon was applied or credit has come
 * due. Without a product its terms are 0. Throws 404 for a store that is gone.
 */
export const readOffer = async (
  store: string,
  { productId, buyer, recipient, useCredit }: Parties,
  at: string,
): Promise<Omit<Facts, 'isQuoteFalse' | 'paid'> & { product: Product | undefined }> => {
  const buying = findCustomerItem(store, buyer);
  const [storeItem, sold, customer, receiver, toProduct, toStore] = await Promise.all([
    findStore(store),
    findProduct(store, productId),
    buying,
    recipient === buyer ? buying : findCustomerItem(store, recipient),
    findApplication(store, buyer, productId),
    findApplication(store, buyer, undefined),
  ]);
  if (!storeItem) throw notFound();
  const spending = useCredit && !sold?.blockCredits;
  const [forProduct, forStore, spendable] = await Promise.all([
    withCoupon(store, buyer, toProduct, at),
    withCoupon(store, buyer, toStore, at),
    spending ? spendableCredit(store, buyer, customer as CreditItem | undefined, at) : noCredit,
  ]);
  const applied = couponThatCounts(forProduct, forStore, at);
  const terms =
    sold &&
    termsOf({
      base: sold.activePrice,
      customerDiscount: customer?.discount ?? 0,
      coupon: applied?.coupon,
      spendable,
      useCredit,
      blockCredits: sold.blockCredits,
      isForOneself: buyer === recipient,
    });
  return {
    buyer: { isBanned: customer?.isBanned ?? false },
    recipient: { isBanned: receiver?.isBanned ?? false },
    product: sold,
    isOpen: isOpen(storeItem),
    terms: terms ?? noPrice,
    spendable,
    uses: applied?.uses ?? 0,
  };
};
