import { lastYearSum } from '../avatars/spend.ts';
import type { CouponUses } from '../catalogue/coupon-uses.ts';
import type { StockedProduct } from '../catalogue/stock.ts';
import {
  bonusIn,
  type CreditPlan,
  isPrerequisite,
  type Prerequisite,
  planCredit,
  spendableOf,
} from '../credit/plan.ts';
import type { Part } from '../credit/state.ts';
import { type Refusal, refusals } from '../routes/sales.ts';
import {
  cardCreditOf,
  type OfferFacts,
  type RefundFacts,
  type RequestedOffer,
  type SaleFacts,
  sellsCards,
  takesCreditFor,
} from './facts.ts';
import {
  type Bonus,
  bonusOf,
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
  tierPercent,
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
  /** The L$ of credit that a sale would give to the buyer. */
  bonus: number;
}

/** The bonus of what a sale keeps, as the rules promise it; none for a gift card. */
const promisedBonus = ({ rules, product }: OfferFacts, { toPay, inGroup }: Terms, at: string): Bonus =>
  bonusOf(rules.bonus, product && sellsCards(product) ? 0 : toPay, inGroup === true, at);

/** The bonus that the limit leaves, after the credit of the terms was taken. */
const bonusLeft = (facts: OfferFacts, terms: Terms, spendable: Spendable, at: string, limit: number): number => {
  const { type, amount } = promisedBonus(facts, terms, at);
  const taken = type === 'regular' ? terms.credit : terms.restrictedCredit;
  return Math.max(0, Math.min(amount, limit - spendable[type] + taken));
};

/** A quote fixes the price, not what the product is: else credit, or an old price, would buy a gift card. */
const isFalse = (quote: RequestedOffer['quote'], cardCredit: number): boolean => {
  const quoted = fixedBy(quote);
  return quote === 'false' || (quoted !== undefined && (quoted.cardCredit ?? 0) !== cardCredit);
};

const noCredit: Spendable = { regular: 0, restricted: 0 };

/** Judges the terms of a sale. Without a product they are 0. */
export const judgeOffer = (
  { parties, at, quote, paid, inGroup = false }: RequestedOffer,
  facts: OfferFacts,
  limit: number,
): Offer | Prerequisite => {
  const { product, buyerItem, recipientItem, spending, rules } = facts;
  const spendable = spending ? spendableOf(facts.credit, at, spending) : noCredit;
  if (isPrerequisite(spendable)) return spendable;
  const quoted = fixedBy(quote);
  const cardCredit = cardCreditOf(product);
  const isCard = cardCredit > 0;
  const applied = isCard ? undefined : couponThatCounts(facts.forProduct, facts.forStore, at);
  const yearSum = lastYearSum(facts.countedSpend?.item?.days ?? {}, Date.parse(at));
  const termsNow = () =>
    product &&
    termsOf({
      base: product.activePrice,
      coupon: applied?.coupon,
      customerDiscount: isCard ? 0 : (buyerItem?.discount ?? 0),
      tierDiscount: isCard ? 0 : tierPercent(rules.tiers, yearSum),
      groupDiscount: inGroup && !isCard ? rules.groupDiscount : 0,
      spendable,
      useCredit: parties.useCredit,
      blockCredits: !takesCreditFor(product),
      isForOneself: parties.buyer === parties.recipient,
      inGroup,
      cardCredit,
    });
  const terms = quoted ?? termsNow() ?? noPrice;
  const uses = quoted ? facts.usesOfQuote : applied?.usesRead;
  const refusal = refusalOf({
    product,
    terms,
    spendable,
    isOpen: facts.isOpen,
    buyer: { isBanned: buyerItem?.isBanned ?? false },
    recipient: { isBanned: recipientItem?.isBanned ?? false },
    isQuoteFalse: isFalse(quote, cardCredit),
    uses: uses?.uses ?? 0,
    paid: paid ?? terms.toPay,
  });
  const bonus = refusal === null ? bonusLeft(facts, terms, spendable, at, limit) : 0;
  return { kind: 'offer', terms, refusal, uses, bonus };
};

/** A sale or refund that was overtaken while its facts were read: they do not belong together. */
export interface StaleFacts {
  kind: 'overtaken';
}

/** A sale for which a divided stock, of which little is left, must be gathered first. */
export interface LowStock {
  kind: 'low';
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
  product: StockedProduct;
  terms: Terms;
  payment: Payment;
  plan: CreditPlan;
  /** The credit that the buyer is given. */
  bonus: Bonus | undefined;
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

/** The credit that a sale gives, in a lot under the id of the sale's delivery, by which a refund finds it. */
const partGiven = ({ type, ...bonus }: Bonus, id: string): Part[] =>
  bonus.amount > 0 ? [{ type, command: { kind: 'bonus', ...bonus, id } }] : [];

const usedUpOf = ({ forProduct, forStore }: OfferFacts): CouponUses[] =>
  [forProduct, forStore].flatMap((each) =>
    each?.usesRead && !hasUseLeft(each.coupon, each.uses) ? [each.usesRead] : [],
  );

/**
 * Tells whether the stock has a part in the outcome: a refusal that comes behind the one for it means that some is
 * left.
 */
const countsStock = (refusal: Refusal | null): boolean =>
  refusal === null || refusals.indexOf(refusal) >= refusals.indexOf('sold-out');

/**
 * Judges a sale. Its refusal comes before all else that must be done, so that a refused sale changes nothing. The terms
 * tell how much it takes: where the lots do not have it, they are of another moment.
 */
export const judgeSale = (
  asked: RequestedOffer & { paid: number; deliveryId: string },
  facts: SaleFacts,
  limit: number,
): RefusedSale | CompletedSale | LowStock | StaleFacts | Prerequisite => {
  const { at, paid, deliveryId } = asked;
  const offer = judgeOffer(asked, facts, limit);
  if (offer.kind !== 'offer') return offer;
  const { terms, refusal, uses } = offer;
  const { product } = facts;
  if (product?.stock?.kind === 'divided' && product.stock.isLow && countsStock(refusal)) return { kind: 'low' };
  if (refusal !== null || !product) return { kind: 'refused', refusal: refusal ?? 'unknown-product', terms };
  const promised = promisedBonus(facts, terms, at);
  const plan = planCredit(facts.credit, [...partsTaken(terms), ...partGiven(promised, deliveryId)], at, limit);
  if (plan.kind === 'refused') return { kind: 'overtaken' };
  if (plan.kind !== 'planned') return plan;
  const payment = paymentOf(paid, terms, null);
  const amount = bonusIn(plan);
  const bonus = amount > 0 ? { ...promised, amount } : undefined;
  return { kind: 'completed', product, terms, payment, plan, bonus, uses, usedUp: usedUpOf(facts) };
};

/** A sale that was refunded before. */
export interface EndedSale {
  kind: 'ended';
  sale: SaleItem;
}

/** A refund of a sale whose gift card has been redeemed: it is refused, and stays so. */
export interface RedeemedSale {
  kind: 'redeemed';
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

/** The bonus that is taken back, after all that comes back. */
const bonusBack = ({ bonus, deliveryId }: SaleItem): Part[] => {
  if (!bonus) return [];
  const { type, amount, expiresAt } = bonus;
  const lot = expiresAt === undefined ? undefined : { id: deliveryId ?? '', expiresAt };
  return [{ type, command: { kind: 'bonus-back', amount, lot } }];
};

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
  { sale, avatars, owned, credit, areCustomers, card }: RefundFacts,
  at: string,
  limit: number,
): EndedSale | RedeemedSale | CompletedRefund | StaleFacts | Prerequisite => {
  if (sale.state !== 'completed') return { kind: 'ended', sale };
  const isAsRead = sale.buyerUuid === avatars.buyer && sale.recipientUuid === avatars.recipient;
  if (!isAsRead || !areCustomers) return { kind: 'overtaken' };
  if (card?.redeemed) return { kind: 'redeemed' };
  const plan = planCredit(credit, [...partsBack(sale), ...bonusBack(sale)], at, limit);
  // No rule refuses what comes back.
  if (plan.kind === 'refused') return { kind: 'overtaken' };
  if (plan.kind !== 'planned') return plan;
  const isLast = owned?.quantity === 1;
  return { kind: 'completed', plan, kept: sale.paid - sale.refund, isLast };
};
