import type { Refusal } from '../routes/sales.ts';
import type { CouponUses } from '../store/coupon-uses.ts';
import type { OfferFacts, Parties } from './facts.ts';
import { couponThatCounts, hasUseLeft, noPrice, refusalOf, type Terms, termsOf } from './rules.ts';

/** Decides about sales and quotes from facts that were read: no I/O, no clock. */

/** A sale as it is judged. */
interface Asked {
  parties: Parties;
  at: string;
  /** The terms that a quote has fixed; or the quote is none, or was made for something else. */
  quote?: Terms | 'false' | 'expired' | undefined;
  /** The L$ that were paid. A quote is judged as if its price were. */
  paid?: number;
}

/** The terms of a sale, and the reason for which it is refused, if there is one. */
interface Judgement {
  terms: Terms;
  refusal: Refusal | null;
  /** The uses of the coupon of the terms. */
  uses: CouponUses | undefined;
}

/** Judges a sale. Without a product its terms are 0. */
export const judgeOffer = ({ parties, at, quote, paid }: Asked, facts: OfferFacts): Judgement => {
  const { product, customer, receiver, spendable } = facts;
  const quoted = typeof quote === 'object' ? quote : undefined;
  const applied = couponThatCounts(facts.forProduct, facts.forStore, at);
  const termsNow = () =>
    product &&
    termsOf({
      base: product.activePrice,
      customerDiscount: customer?.discount ?? 0,
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
    buyer: { isBanned: customer?.isBanned ?? false },
    recipient: { isBanned: receiver?.isBanned ?? false },
    isQuoteFalse: quote === 'false',
    uses: uses?.uses ?? 0,
    paid: paid ?? terms.toPay,
  });
  return { terms, refusal, uses };
};

/** The uses of coupons that were applied and have none left: no sale may count on what it does not see. */
export const usedUpOf = ({ forProduct, forStore }: OfferFacts): CouponUses[] =>
  [forProduct, forStore].flatMap((each) =>
    each?.usesRead && !hasUseLeft(each.coupon, each.uses) ? [each.usesRead] : [],
  );
