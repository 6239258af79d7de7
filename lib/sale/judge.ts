import assert from 'node:assert/strict';
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
import { holdingOf, type Part } from '../credit/state.ts';
import type { Refusal } from '../routes/sales.ts';
import {
  cardCreditOf,
  type OfferFacts,
  type RefundFacts,
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
  type OpenedQuote,
  type Payment,
  paymentOf,
  type Share,
  type Spendable,
  sharesOf,
  type Terms,
  termsOf,
  tierPercent,
} from './rules.ts';
import type { SaleItem } from './sales.ts';

/**
 * Judges sales, quotes and refunds from facts that were read. Nothing here reads or writes, or knows the time.
 */

/** The price of a sale, and the credit that can pay it. */
interface Price {
  kind: 'price';
  terms: Terms;
  /** The buyer's credit without the lots that have come due. */
  spendable: Spendable;
  /** The uses of the coupon of the terms. */
  uses: CouponUses | undefined;
}

/** The price by the terms of a quote or, without one, by the present terms. It is 0 if there is no product. */
const priceOf = (facts: OfferFacts, quoted: Terms | undefined): Price | Prerequisite => {
  const { asked, product, buyerItem, credit, spending, rules } = facts;
  const spendable = spending ? spendableOf(credit, asked.at, spending) : { regular: 0, restricted: 0 };
  if (isPrerequisite(spendable)) return spendable;
  if (quoted) return { kind: 'price', terms: quoted, spendable, uses: facts.usesOfQuote };
  if (!product) return { kind: 'price', terms: noPrice, spendable, uses: undefined };

  // A gift card has no discount, and is sold for L$ alone.
  const cardCredit = cardCreditOf(product);
  const isCard = cardCredit > 0;
  const applied = isCard ? undefined : couponThatCounts(facts.forProduct, facts.forStore, asked.at);
  const yearSum = lastYearSum(facts.countedSpend?.item?.days ?? {}, Date.parse(asked.at));
  const terms = termsOf({
    base: product.activePrice,
    coupon: applied?.coupon,
    customerDiscount: isCard ? 0 : (buyerItem?.discount ?? 0),
    tierDiscount: isCard ? 0 : tierPercent(rules.tiers, yearSum),
    groupDiscount: asked.inGroup && !isCard ? rules.groupDiscount : 0,
    spendable,
    useCredit: asked.useCredit,
    blockCredits: !takesCreditFor(product),
    isForOneself: asked.buyer === asked.recipient,
    inGroup: asked.inGroup,
    cardCredit,
  });
  return { kind: 'price', terms, spendable, uses: applied?.usesRead };
};

/** The bonus that the rules promise for what a sale keeps; none for a gift card. */
const promisedBonus = ({ asked, rules, product }: OfferFacts, { toPay, inGroup }: Terms): Bonus =>
  bonusOf(rules.bonus, product && sellsCards(product) ? 0 : toPay, inGroup === true, asked.at);

/** The reason why the buyer cannot buy the product now, apart from its stock. */
const notForSale = (
  { isOpen, buyerItem, recipientItem }: OfferFacts,
  { active }: StockedProduct,
): 'closed' | 'banned' | 'inactive' | undefined => {
  if (!isOpen) return 'closed';
  if (buyerItem?.isBanned || recipientItem?.isBanned) return 'banned';
  return active ? undefined : 'inactive';
};

const isOutOfStock = ({ limited, availableAmount }: StockedProduct): boolean => limited && availableAmount < 1;

/** The terms of a quote, and the reason why a sale would be refused now, if there is one. */
export interface Offer {
  kind: 'offer';
  terms: Terms;
  refusal: Refusal | null;
  /** The L$ of credit that a sale would give to the buyer. */
  bonus: number;
}

/**
 * Judges a quote. Its terms are made from the present credit and coupon, and nothing is paid yet. So it has fewer
 * refusals than a sale.
 */
export const judgeQuote = (facts: OfferFacts, limit: number): Offer | Prerequisite => {
  const price = priceOf(facts, undefined);
  if (price.kind !== 'price') return price;
  const { terms, spendable } = price;
  const { product } = facts;
  const refuse = (refusal: Refusal): Offer => ({ kind: 'offer', terms, refusal, bonus: 0 });
  if (!product) return refuse('unknown-product');
  const reason = notForSale(facts, product);
  if (reason) return refuse(reason);
  if (isOutOfStock(product)) return refuse('sold-out');

  const { type, amount } = promisedBonus(facts, terms);
  const taken = type === 'regular' ? terms.credit : terms.restrictedCredit;
  const bonus = Math.max(0, Math.min(amount, limit - spendable[type] + taken));
  return { kind: 'offer', terms, refusal: null, bonus };
};

/** Another writer came between the reads of a sale's or refund's facts, so they contradict each other. */
export interface StaleFacts {
  kind: 'overtaken';
}

/** Little is left of a divided stock: it must be gathered before the sale. */
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
  /** The parts of other avatars in the L$ that the sale keeps. */
  shares: Share[];
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

/**
 * The credit that a sale gives. If it expires, its lot has the id of the sale's delivery, so that a refund finds it.
 */
const partGiven = ({ type, ...bonus }: Bonus, id: string): Part[] =>
  bonus.amount > 0 ? [{ type, command: { kind: 'bonus', ...bonus, id } }] : [];

const usedUpOf = ({ forProduct, forStore }: OfferFacts): CouponUses[] =>
  [forProduct, forStore].flatMap((each) =>
    each?.usesRead && !hasUseLeft(each.coupon, each.uses) ? [each.usesRead] : [],
  );

/**
 * A quote fixes the price, but not the gift card that the product makes. Otherwise credit, or an old price, would buy a
 * gift card.
 */
const isFalse = (quote: OpenedQuote, product: StockedProduct): boolean => {
  const quoted = fixedBy(quote);
  return quote === 'false' || (quoted !== undefined && (quoted.cardCredit ?? 0) !== cardCreditOf(product));
};

/** Asserts what holds for every sale. A bug in these rules makes no sale: it is logged, and answered with 500. */
const assertSale = ({ terms, payment, shares, plan, bonus }: CompletedSale, spendable: Spendable): void => {
  const { total, credit, restrictedCredit, toPay } = terms;
  assert.equal(restrictedCredit + credit + toPay, total, 'The price of a sale is its credit and its L$.');
  assert.equal(payment.kept, toPay, 'A sale keeps what is to be paid in L$.');
  assert.equal(payment.kept + payment.change, payment.paid, 'A sale keeps or gives back what was paid.');
  assert.ok(payment.change >= 0, 'A sale gives back no more than was paid.');
  assert.ok(shares.reduce((sum, { amount }) => sum + amount, 0) <= payment.kept, 'Shares are parts of what is kept.');
  const taken = { regular: credit, restricted: restrictedCredit };
  for (const { type } of plan.parts) {
    const given = bonus?.type === type ? bonus.amount : 0;
    const { balance } = holdingOf(plan.after, type);
    assert.equal(balance, spendable[type] - taken[type] + given, 'A sale takes the credit of its terms, and no other.');
    assert.ok(balance >= given, 'A sale takes no more credit than is there.');
  }
};

/**
 * Judges a sale. Its refusals are in the order of `refusals` (lib/routes/sales.ts); `unknown-resident` comes before any
 * facts are read. A refused sale changes nothing. So the refusals come before the changes that must be made first; only
 * a low stock is gathered before it can count as sold out.
 */
export const judgeSale = (
  facts: SaleFacts,
  limit: number,
): RefusedSale | CompletedSale | LowStock | StaleFacts | Prerequisite => {
  const { asked, quote, product, credit } = facts;
  const price = priceOf(facts, fixedBy(quote));
  if (price.kind !== 'price') return price;
  const { terms, spendable, uses } = price;

  const refuse = (refusal: Refusal): RefusedSale => ({ kind: 'refused', refusal, terms });
  if (!product) return refuse('unknown-product');
  if (isFalse(quote, product)) return refuse('quote');
  const reason = notForSale(facts, product);
  if (reason) return refuse(reason);
  if (product.stock?.kind === 'divided' && product.stock.isLow) return { kind: 'low' };
  if (isOutOfStock(product)) return refuse('sold-out');
  if (terms.restrictedCredit > spendable.restricted || terms.credit > spendable.regular)
    return refuse('credit-changed');
  if (terms.coupon && !hasUseLeft(terms.coupon, uses?.uses ?? 0)) return refuse('coupon-used');
  if (asked.paid < terms.toPay) return refuse('underpaid');
  // From here on nothing refuses the sale.

  const promised = promisedBonus(facts, terms);
  const parts = [...partsTaken(terms), ...partGiven(promised, asked.deliveryId)];
  const plan = planCredit(credit, parts, asked.at, limit);
  // The credit of the terms is there, so lots that do not have it were read at another moment.
  if (plan.kind === 'refused') return { kind: 'overtaken' };
  if (plan.kind !== 'planned') return plan;
  const payment = paymentOf(asked.paid, terms, null);
  const shares = sharesOf(payment.kept, terms.coupon, product.profitShares);
  const given = bonusIn(plan);
  const bonus = given > 0 ? { ...promised, amount: given } : undefined;
  const usedUp = usedUpOf(facts);
  const sale: CompletedSale = { kind: 'completed', product, terms, payment, shares, plan, bonus, uses, usedUp };
  assertSale(sale, spendable);
  return sale;
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

/** The part that takes the bonus back. It follows the parts that give credit back. */
const bonusBack = ({ bonus, deliveryId }: SaleItem): Part[] => {
  if (!bonus) return [];
  const { type, amount, expiresAt } = bonus;
  const lot = expiresAt === undefined ? undefined : { id: deliveryId ?? '', expiresAt };
  return [{ type, command: { kind: 'bonus-back', amount, lot } }];
};

/** The parts that give credit back: restricted first, so that regular has the higher number in history. */
const partsBack = ({ credit, restrictedCredit, taken = { restricted: [], regular: [] } }: SaleItem): Part[] => {
  const partOf = (type: Part['type'], amount: number): Part[] => {
    const lots = taken[type].map(([expiresAt, part]) => ({ expiresAt, amount: part }));
    const unlotted = lots.reduce((rest, lot) => rest - lot.amount, amount);
    return amount > 0 ? [{ type, command: { kind: 'refund', lots, unlotted } }] : [];
  };
  return [...partOf('restricted', restrictedCredit), ...partOf('regular', credit)];
};

/** Asserts what holds for every refund: see `assertSale`. */
const assertRefund = ({ plan, kept }: CompletedRefund, { paid, bonus }: SaleItem): void => {
  assert.ok(kept >= 0 && kept <= paid, 'A refund gives back no more than was paid.');
  const takenBack = -bonusIn(plan);
  assert.ok(takenBack >= 0 && takenBack <= (bonus?.amount ?? 0), 'A refund takes back no more than the bonus.');
};

/**
 * Judges a refund. It is overtaken if the sale now names other avatars than the facts. It is overtaken too if one of
 * them is no customer: a sale makes its avatars customers, so an erasure is under way, and the avatar's spend has yet
 * to follow the sale.
 */
export const judgeRefund = (
  { asked, sale, owned, credit, areCustomers, card }: RefundFacts,
  limit: number,
): EndedSale | RedeemedSale | CompletedRefund | StaleFacts | Prerequisite => {
  if (sale.state !== 'completed') return { kind: 'ended', sale };
  const isAsRead = sale.buyerUuid === asked.buyer && sale.recipientUuid === asked.recipient;
  if (!isAsRead || !areCustomers) return { kind: 'overtaken' };
  if (card?.redeemed) return { kind: 'redeemed' };
  const plan = planCredit(credit, [...partsBack(sale), ...bonusBack(sale)], asked.cause.at, limit);
  // No rule refuses what comes back.
  if (plan.kind === 'refused') return { kind: 'overtaken' };
  if (plan.kind !== 'planned') return plan;
  const refund: CompletedRefund = {
    kind: 'completed',
    plan,
    kept: sale.paid - sale.refund,
    isLast: owned?.quantity === 1,
  };
  assertRefund(refund, sale);
  return refund;
};
