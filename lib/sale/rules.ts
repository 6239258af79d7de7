import { timestamp } from '../clock.ts';
import { lessPercent, shareOf } from '../price.ts';
import type { Coupon } from '../routes/coupons.ts';
import type { Product } from '../routes/products.ts';
import type { StoreRules } from '../routes/rules.ts';
import type { DiscountSource, Refusal } from '../routes/sales.ts';

/**
 * The rules of sales (docs/guides/selling.md) as pure functions: they read nothing and know no clock. Amounts are whole
 * L$, percentages are numbers from 0 to 100, times are timestamps of the contract (UTC with milliseconds, so that they
 * sort as text).
 */

/** A coupon that was applied for the customer, and how often they have used it. */
export interface AppliedCoupon {
  coupon: Pick<Coupon, 'id' | 'couponOwnerUuid' | 'discount' | 'ownerProfit' | 'usesPerCustomer'> &
    Pick<Coupon, 'active' | 'expiration'>;
  /** When the application lapses. */
  expiresAt: string;
  uses: number;
}

/** Something live until T is live while now < T. */
const isBefore = (until: string, at: string): boolean => at < until;

/** A limit of 0 means no limit. */
export const hasUseLeft = ({ usesPerCustomer }: Pick<Coupon, 'usesPerCustomer'>, uses: number): boolean =>
  usesPerCustomer === 0 || uses < usesPerCustomer;

const counts = ({ coupon, expiresAt, uses }: AppliedCoupon, at: string): boolean =>
  isBefore(expiresAt, at) && coupon.active && isBefore(coupon.expiration, at) && hasUseLeft(coupon, uses);

/**
 * The coupon that counts in a sale: the one applied for the product or, if that one does not count, the one applied to
 * the whole store.
 */
export const couponThatCounts = <A extends AppliedCoupon>(
  forProduct: A | undefined,
  forStore: A | undefined,
  at: string,
): A | undefined => [forProduct, forStore].find((applied) => applied !== undefined && counts(applied, at));

interface PriceCut {
  source: DiscountSource;
  percent: number;
  couponId: string | null;
}

/** The part of a coupon that takes effect in a sale besides its percentage. The sale is one use of it. */
export type UsedCoupon = Pick<Coupon, 'id' | 'couponOwnerUuid' | 'ownerProfit' | 'usesPerCustomer'>;

const usedPart = ({ id, couponOwnerUuid, ownerProfit, usesPerCustomer }: UsedCoupon): UsedCoupon => ({
  id,
  couponOwnerUuid,
  ownerProfit,
  usesPerCustomer,
});

/** Credit by its type, in L$. */
export interface Spendable {
  regular: number;
  restricted: number;
}

/** The terms of a sale. A quote fixes them. */
export interface Terms {
  base: number;
  discount: PriceCut;
  total: number;
  credit: number;
  restrictedCredit: number;
  toPay: number;
  /** The coupon that the sale uses, if any: its percentage or its commission takes effect. */
  coupon?: UsedCoupon;
  /** The buyer wears the tag of the group. */
  inGroup?: true;
  /** The L$ of the gift card that is sold; absent if none is. */
  cardCredit?: number;
}

/** A quote that was sent with a sale: its terms; `false` if it is no quote, or is for another sale; or `expired`. */
export type OpenedQuote = Terms | 'false' | 'expired';

/** The terms that a quote has fixed, if it is one. */
export const fixedBy = (quote: OpenedQuote | undefined): Terms | undefined =>
  typeof quote === 'object' ? quote : undefined;

export const noPrice: Terms = {
  base: 0,
  discount: { source: 'none', percent: 0, couponId: null },
  total: 0,
  credit: 0,
  restrictedCredit: 0,
  toPay: 0,
};

/** The percentage of the highest tier that a buyer has reached. Tiers are ordered by the spend that they ask for. */
export const tierPercent = (tiers: StoreRules['tiers'], lastYearSum: number): number =>
  tiers.findLast(({ from }) => from <= lastYearSum)?.percent ?? 0;

/** Only the largest percentage counts. If two are equal, the one that is named first here counts. */
const largest = ({ coupon, customerDiscount, tierDiscount, groupDiscount }: Candidates): PriceCut => {
  const candidates: PriceCut[] = [
    { source: 'coupon', percent: coupon?.discount ?? 0, couponId: coupon?.id ?? null },
    { source: 'customer', percent: customerDiscount, couponId: null },
    { source: 'tier', percent: tierDiscount, couponId: null },
    { source: 'group', percent: groupDiscount, couponId: null },
  ];
  return candidates.reduce((best, one) => (one.percent > best.percent ? one : best), noPrice.discount);
};

/** Takes restricted credit first, and only in a sale for oneself; then regular credit. */
const split = (total: number, { regular, restricted }: Spendable, isForOneself: boolean) => {
  const restrictedCredit = isForOneself ? Math.min(restricted, total) : 0;
  const credit = Math.min(regular, total - restrictedCredit);
  return { credit, restrictedCredit, toPay: total - restrictedCredit - credit };
};

/** Everything that may take off a percentage. Only one of these counts; a percentage of 0 counts as none. */
interface Candidates {
  coupon: AppliedCoupon['coupon'] | undefined;
  customerDiscount: number;
  /** For the L$ that the buyer has spent in the last year. */
  tierDiscount: number;
  /** For wearing the tag of the group. */
  groupDiscount: number;
}

/** The facts that a sale's terms are made from. */
export interface Offer extends Candidates {
  /** The active price of the product. */
  base: number;
  /** The buyer's credit without the credit that has come due. */
  spendable: Spendable;
  useCredit: boolean;
  blockCredits: boolean;
  /** Buyer and recipient are the same avatar. */
  isForOneself: boolean;
  inGroup: boolean;
  /** The L$ of the gift card that is sold; 0 if none is. */
  cardCredit: number;
}

export const termsOf = ({ base, coupon, spendable, ...offer }: Offer): Terms => {
  const discount = largest({ coupon, ...offer });
  const total = lessPercent(base, discount.percent);
  const takesCredit = offer.useCredit && !offer.blockCredits;
  const isUsed = coupon !== undefined && (discount.source === 'coupon' || coupon.ownerProfit > 0);
  return {
    base,
    discount,
    total,
    ...(takesCredit ? split(total, spendable, offer.isForOneself) : { credit: 0, restrictedCredit: 0, toPay: total }),
    ...(isUsed && { coupon: usedPart(coupon) }),
    ...(offer.inGroup && { inGroup: true }),
    ...(offer.cardCredit > 0 && { cardCredit: offer.cardCredit }),
  };
};

const dayMillis = 86_400_000;

/** The credit that a sale gives to its buyer, unless the limit cuts it. */
export interface Bonus {
  type: StoreRules['bonus']['type'];
  amount: number;
  /** Absent for permanent credit. */
  expiresAt?: string;
}

/**
 * The bonus for the L$ that a sale has kept: for a buyer in the group the larger of the two percentages, rounded down.
 */
export const bonusOf = (
  { percent, groupPercent, type, expiresInDays }: StoreRules['bonus'],
  kept: number,
  inGroup: boolean,
  at: string,
): Bonus => ({
  type,
  amount: shareOf(kept, inGroup ? Math.max(percent, groupPercent) : percent),
  ...(expiresInDays !== null && { expiresAt: timestamp(Date.parse(at) + expiresInDays * dayMillis) }),
});

/** The L$ of a sale, without its credit. */
export interface Payment {
  /** The buyer gave them to the vendor. */
  paid: number;
  /** The store keeps these, and shares them out. */
  kept: number;
  /** The vendor gives these back once it has the answer about the sale. */
  change: number;
}

export const paymentOf = (paid: number, { toPay }: Pick<Terms, 'toPay'>, refusal: Refusal | null): Payment => {
  const kept = refusal === null ? toPay : 0;
  return { paid, kept, change: paid - kept };
};

/** An avatar's part in a sale. */
export interface Share {
  residentUuid: string;
  kind: 'commission' | 'share';
  percent: number;
  amount: number;
}

/**
 * The parts in the L$ that were paid and kept: first the commission of the coupon's owner, then the product's profit
 * shares. Each is a percentage of the whole, rounded down, and never more than the earlier parts leave. The merchant
 * has the rest.
 */
export const sharesOf = (
  kept: number,
  coupon: UsedCoupon | undefined,
  profitShares: Product['profitShares'],
): Share[] => {
  const entitled: Omit<Share, 'amount'>[] = [
    ...(coupon && coupon.ownerProfit > 0
      ? [{ residentUuid: coupon.couponOwnerUuid, kind: 'commission' as const, percent: coupon.ownerProfit }]
      : []),
    ...profitShares.map(({ userUuid, percent }) => ({ residentUuid: userUuid, kind: 'share' as const, percent })),
  ];
  let left = kept;
  return entitled.map((share) => {
    const amount = Math.min(shareOf(kept, share.percent), left);
    left -= amount;
    return { ...share, amount };
  });
};
