import { spendableCredit } from '../credit/spendable.ts';
import type { CreditItem } from '../credit/state.ts';
import { notFound } from '../problem.ts';
import type { Product } from '../routes/products.ts';
import { findApplication } from '../store/applied-coupons.ts';
import { type CouponUses, findCouponUses } from '../store/coupon-uses.ts';
import { findCoupon } from '../store/coupons.ts';
import { type CustomerItem, findCustomerItem } from '../store/customers.ts';
import { findProduct } from '../store/products.ts';
import { findStore, isOpen } from '../store/stores.ts';
import {
  type AppliedCoupon,
  couponThatCounts,
  type Facts,
  noPrice,
  type Spendable,
  type Terms,
  termsOf,
} from './rules.ts';

/** A sale as it is asked for. */
export interface Parties {
  productId: string;
  /** Avatars' UUIDs. */
  buyer: string;
  recipient: string;
  useCredit: boolean;
}

interface Application extends AppliedCoupon {
  usesRead: CouponUses | undefined;
}

/** An application with its coupon. None is read for one that has lapsed. */
const withCoupon = async (
  store: string,
  customer: string,
  application: Awaited<ReturnType<typeof findApplication>>,
  at: string,
): Promise<Application | undefined> => {
  if (!application || application.expiresAt <= at) return undefined;
  const { couponId, expiresAt } = application;
  const [coupon, usesRead] = await Promise.all([
    findCoupon(store, couponId),
    findCouponUses(store, customer, couponId),
  ]);
  return coupon && { coupon, expiresAt, usesRead, uses: usesRead?.uses ?? 0 };
};

const noCredit: Spendable = { regular: 0, restricted: 0 };

interface Given {
  /** The buyer's item, where it is read already. */
  reading?: Promise<CreditItem | undefined>;
  /** The terms that a quote has fixed. */
  quoted?: Terms | undefined;
}

/** The facts that decide about a sale, and the items that they come from. */
interface Read extends Omit<Facts, 'isQuoteFalse' | 'paid'> {
  product: Product | undefined;
  receiver: CustomerItem | undefined;
  usesRead: CouponUses | undefined;
}

/**
 * Reads everything that a sale is decided from, in one call after another only where a coupon was applied or credit has come
 * due. Without a product its terms are 0. Throws 404 for a store that is gone.
 */
export const readOffer = async (
  store: string,
  parties: Parties,
  at: string,
  { reading = findCustomerItem(store, parties.buyer), quoted }: Given = {},
): Promise<Read> => {
  const { productId, buyer, recipient, useCredit } = parties;
  const [storeItem, product, customer, receiver, toProduct, toStore, usesOfQuote] = await Promise.all([
    findStore(store),
    findProduct(store, productId),
    reading,
    recipient === buyer ? reading : findCustomerItem(store, recipient),
    quoted ? undefined : findApplication(store, buyer, productId),
    quoted ? undefined : findApplication(store, buyer, undefined),
    quoted?.coupon && findCouponUses(store, buyer, quoted.coupon.id),
  ]);
  if (!storeItem) throw notFound();
  const spending = quoted ? quoted.toPay < quoted.total : useCredit && !product?.blockCredits;
  const [forProduct, forStore, spendable] = await Promise.all([
    withCoupon(store, buyer, toProduct, at),
    withCoupon(store, buyer, toStore, at),
    spending ? spendableCredit(store, buyer, customer, at) : noCredit,
  ]);
  const applied = couponThatCounts(forProduct, forStore, at);
  const termsNow = () =>
    product &&
    termsOf({
      base: product.activePrice,
      customerDiscount: customer?.discount ?? 0,
      coupon: applied?.coupon,
      spendable,
      useCredit,
      blockCredits: product.blockCredits,
      isForOneself: buyer === recipient,
    });
  const usesRead = quoted ? usesOfQuote : applied?.usesRead;
  return {
    buyer: { isBanned: customer?.isBanned ?? false },
    recipient: { isBanned: receiver?.isBanned ?? false },
    product,
    isOpen: isOpen(storeItem),
    terms: quoted ?? termsNow() ?? noPrice,
    spendable,
    uses: usesRead?.uses ?? 0,
    receiver,
    usesRead,
  };
};
