import { dependsOnLots, spendableCredit } from '../credit/spendable.ts';
import type { CreditItem } from '../credit/state.ts';
import { notFound } from '../problem.ts';
import type { Product } from '../routes/products.ts';
import type { Refusal, SaleRequest } from '../routes/sales.ts';
import { findApplication } from '../store/applied-coupons.ts';
import { type CouponUses, couponUsesKey, findCouponUses } from '../store/coupon-uses.ts';
import { findCoupon } from '../store/coupons.ts';
import { type CustomerItem, customerKey, findCustomerItem } from '../store/customers.ts';
import { productKey } from '../store/memberships.ts';
import { findProduct } from '../store/products.ts';
import { findUuid } from '../store/residents.ts';
import { findStore, isOpen } from '../store/stores.ts';
import type { Key } from '../table/schema.ts';
import { getTogether } from '../table/table.ts';
import type { AppliedCoupon, Spendable, Terms } from './rules.ts';

/** The avatars of a sale, by their UUIDs; undefined for one whom nobody has met. */
export const findAvatars = async (
  store: string,
  { buyerIdentifier, recipientIdentifier }: Pick<SaleRequest, 'buyerIdentifier' | 'recipientIdentifier'>,
): Promise<{ buyer: string | undefined; recipient: string | undefined }> => {
  const [buyer, other] = await Promise.all([
    findUuid(store, buyerIdentifier),
    recipientIdentifier && findUuid(store, recipientIdentifier),
  ]);
  return { buyer, recipient: recipientIdentifier ? other : buyer };
};

/** A sale as it is asked for. */
export interface Parties {
  productId: string;
  /** Avatars' UUIDs. */
  buyer: string;
  recipient: string;
  useCredit: boolean;
}

/** The application of a coupon, with the coupon and the customer's uses of it. */
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

/** The items from which the terms of a sale are made, as they were read. */
export interface OfferFacts {
  isOpen: boolean;
  product: Product | undefined;
  /** The buyer's item. */
  customer: CreditItem | undefined;
  /** The recipient's item: in a sale for oneself the buyer's. */
  receiver: CustomerItem | undefined;
  forProduct: Application | undefined;
  forStore: Application | undefined;
  /** The uses of the coupon of the quote. */
  usesOfQuote: CouponUses | undefined;
  /** The uses of every coupon that was looked at, with the ids of the coupons. */
  usesSeen: [couponId: string, uses: number][];
  spendable: Spendable;
  /** Lots of the customer were read, after the item. */
  lotsRead: boolean;
}

interface Given {
  /** The buyer's item, where it is read already. */
  reading?: Promise<CreditItem | undefined>;
  /** The terms that a quote has fixed. */
  quoted?: Terms | undefined;
}

/**
 * Reads everything that an offer is made from, in one call after another only where a coupon was applied or credit has
 * come due. Throws 404 for a store that is gone.
 */
export const readOffer = async (
  store: string,
  { productId, buyer, recipient, useCredit }: Parties,
  at: string,
  { reading = findCustomerItem(store, buyer), quoted }: Given = {},
): Promise<OfferFacts> => {
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
  return {
    isOpen: isOpen(storeItem),
    ...{ product, customer, receiver, forProduct, forStore, usesOfQuote, spendable },
    usesSeen: quoted?.coupon
      ? [[quoted.coupon.id, usesOfQuote?.uses ?? 0]]
      : [forProduct, forStore].flatMap((each) => (each ? [[each.coupon.id, each.uses]] : [])),
    lotsRead: spending && customer !== undefined && dependsOnLots(customer, at),
  };
};

/** The refusals for what other sales, and refunds, move at once. */
const forWhatMoves: readonly Refusal[] = ['credit-changed', 'coupon-used', 'underpaid'];

/**
 * Tells whether the credit with its lots, the stock and the uses from which a sale was refused were there together:
 * other sales, and refunds, move them at once, and single reads may see one of them before and one after. The rest
 * counts as it is when a sale begins.
 */
export const wereTogether = async (
  store: string,
  { buyer, useCredit }: Parties,
  refusal: Refusal,
  { product, customer, lotsRead, usesSeen }: Pick<OfferFacts, 'product' | 'customer' | 'lotsRead' | 'usesSeen'>,
): Promise<boolean> => {
  if (!forWhatMoves.includes(refusal) || !product) return true;
  const seen: [key: Key, attribute: string, value: unknown][] = usesSeen.map(([id, uses]) => [
    couponUsesKey(store, buyer, id),
    'uses',
    uses,
  ]);
  if (useCredit) seen.push([customerKey(store, buyer), 'creditVersion', customer?.creditVersion]);
  if (product.limited) seen.push([productKey(store, product.id), 'availableAmount', product.availableAmount]);
  // One coupon may be applied both for the product and to the whole store.
  const keys = new Map(seen.map(([key]) => [key.pk + key.sk, key]));
  if (keys.size < 2 && !lotsRead) return true;
  const items = await getTogether<Record<string, unknown>>([...keys.values()]);
  const found = new Map([...keys.keys()].map((name, index) => [name, items[index]]));
  // Absent are a version before the first change of the credit, and the count of no uses.
  return seen.every(([key, attribute, value]) => (found.get(key.pk + key.sk)?.[attribute] ?? 0) === (value ?? 0));
};
