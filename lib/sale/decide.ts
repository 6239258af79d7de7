import { type CreditPlan, isNotYet, type NotYet, planCredit, spendableOf } from '../credit/plan.ts';
import type { Part } from '../credit/state.ts';
import type { Product } from '../routes/products.ts';
import type { Refusal } from '../routes/sales.ts';
import type { CouponUses } from '../store/coupon-uses.ts';
import type { OfferAsked, OfferFacts, RefundFacts, SaleFacts } from './facts.ts';
import {
  couponThatCounts,
  fixedBy,
  hasUseLeft,
  noPrice,
  type Payment,
  paymentOf,
  refusalOf,
  type Spendable,
  type Terms,
  termsOf,
} from './rules.ts';
import type { SaleItem } from './sales.ts';

/**
 * Decides about sales, quotes and refunds from facts that were read. Nothing here reads or writes, or knows the time.
 */

/** The terms of a sale, and the reason for which it is refused, if there is one. */
export interface Offer {
  kind: 'offer';
  terms: Terms;
  refusal: Refusal | null;
  /** The uses of the coupon of the terms. */
  uses: CouponUses | undefined;
}

const noCredit: Spendable = { regular: 0, restricted: 0 };

/** Judges the terms of a sale. Without a product they are 0. */
export const judgeOffer = ({ parties, at, quote, paid }: OfferAsked, facts: OfferFacts): Offer | NotYet => {
  const { product, buyerItem, recipientItem, spending } = facts;
  const spendable = spending ? spendableOf(facts.credit, at, spending) : noCredit;
  if (isNotYet(spendable)) return spendable;
  const quoted = fixedBy(quote);
  const applied = couponThatCounts(facts.forProduct, facts.forStore, at);
  const termsNow = () =>
    product &&
    termsOf({
      base: product.activePrice,
      customerDiscount: buyerItem?.discount ?? 0,
      coupon: applied?.coupon,
      spendable,
      useCredit: parties.useCredit,
      blockCredits: product.blockCredits,
      isForOneself: parties.buyer === parties.recipient,
    });
  const terms = quoted ?? termsNow() ?? noPrice;
  const uses = quoted ? facts.usesOfQuote : applied?.usesRead;
  const refusal = refusalOf({
    ...{ product, terms, spendable, isOpen: facts.isOpen },
    buyer: { isBanned: buyerItem?.isBanned ?? false },
    recipient: { isBanned: recipientItem?.isBanned ?? false },
    isQuoteFalse: quote === 'false',
    uses: uses?.uses ?? 0,
    paid: paid ?? terms.toPay,
  });
  return { kind: 'offer', terms, refusal, uses };
};

/** A sale or refund that was overtaken while its facts were read: they do not belong together. */
export interface Overtaken {
  kind: 'overtaken';
}

/** A sale that is refused, if its facts were there at one moment. */
export interface RefusedSale {
  kind: 'refused';
  refusal: Refusal;
  terms: Terms;
}

/** A sale that is made. */
export interface CompletedSale {
  kind: 'completed';
  product: Product;
  terms: Terms;
  payment: Payment;
  plan: CreditPlan;
  /** The uses of the coupon of the terms. */
  uses: CouponUses | undefined;
  /** The uses of coupons that were applied and have none left. */
  usedUp: readonly CouponUses[];
}

/** The credit that a sale takes: restricted first, so that regular has the higher number in history. */
const partsTaken = ({ credit, restrictedCredit }: Terms): Part[] => {
  const partOf = (type: Part['type'], amount: number): Part[] =>
    amount > 0 ? [{ type, command: { kind: 'increment', delta: -amount } }] : [];
  return [...partOf('restricted', restrictedCredit), ...partOf('regular', credit)];
};

const usedUpOf = ({ forProduct, forStore }: OfferFacts): CouponUses[] =>
  [forProduct, forStore].flatMap((each) =>
    each?.usesRead && !hasUseLeft(each.coupon, each.uses) ? [each.usesRead] : [],
  );

/**
 * Judges a sale. Its refusal comes before all else that must be done, so that a refused sale changes nothing. The terms
 * tell how much it takes: where the lots do not have it, they are of another moment.
 */
export const judgeSale = (
  asked: OfferAsked & { paid: number },
  facts: SaleFacts,
  limit: number,
): RefusedSale | CompletedSale | Overtaken | NotYet => {
  const { at, paid } = asked;
  const offer = judgeOffer(asked, facts);
  if (offer.kind !== 'offer') return offer;
  const { terms, refusal, uses } = offer;
  const { product } = facts;
  if (refusal !== null || !product) return { kind: 'refused', refusal: refusal ?? 'unknown-product', terms };
  const plan = planCredit(facts.credit, partsTaken(terms), at, limit);
  if (plan.kind === 'refused') return { kind: 'overtaken' };
  if (plan.kind !== 'planned') return plan;
  const payment = paymentOf(paid, terms, null);
  return { kind: 'completed', product, terms, payment, plan, uses, usedUp: usedUpOf(facts) };
};

/** A sale that was refunded before. */
export interface EndedSale {
  kind: 'ended';
  sale: SaleItem;
}

/** A refund that is made. */
export interface CompletedRefund {
  kind: 'completed';
  plan: CreditPlan;
  /** The L$ that the store has kept of the sale, and now gives back. */
  kept: number;
  /** The recipient loses their only copy. */
  isLast: boolean;
}

/** The credit that comes back: restricted first, so that regular has the higher number in history. */
const partsBack = ({ credit, restrictedCredit, taken = { restricted: [], regular: [] } }: SaleItem): Part[] => {
  const partOf = (type: Part['type'], amount: number): Part[] => {
    const lots = taken[type].map(([expiresAt, part]) => ({ expiresAt, amount: part }));
    const unlotted = lots.reduce((rest, lot) => rest - lot.amount, amount);
    return amount > 0 ? [{ type, command: { kind: 'refund', lots, unlotted } }] : [];
  };
  return [...partOf('restricted', restrictedCredit), ...partOf('regular', credit)];
};

/**
 * Judges a refund. It is overtaken where the sale has other avatars by now than those whose items were read, and where
 * one of them is no customer: a sale makes its avatars customers, so one who is none is being erased, and their spend
 * has yet to follow the sale.
 */
export const judgeRefund = (
  { sale, avatars, owned, credit, areCustomers }: RefundFacts,
  at: string,
  limit: number,
): EndedSale | CompletedRefund | Overtaken | NotYet => {
  if (sale.state !== 'completed') return { kind: 'ended', sale };
  const isAsRead = sale.buyerUuid === avatars.buyer && sale.recipientUuid === avatars.recipient;
  if (!isAsRead || !areCustomers) return { kind: 'overtaken' };
  const plan = planCredit(credit, partsBack(sale), at, limit);
  // No rule refuses what comes back.
  if (plan.kind === 'refused') return { kind: 'overtaken' };
  if (plan.kind !== 'planned') return plan;
  const isLast = owned?.quantity === 1;
  return { kind: 'completed', plan, kept: sale.paid - sale.refund, isLast };
};
