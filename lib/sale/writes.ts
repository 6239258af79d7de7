import type { Cause, CreditItem } from '../credit/state.ts';
import { refundedDelivery } from '../delivery/deliveries.ts';
import type { Refusal, SaleRequest } from '../routes/sales.ts';
import { type CouponUses, countUse, couponUsesKey, takeUseBack } from '../store/coupon-uses.ts';
import { customerUpsert } from '../store/customers.ts';
import { ownedKey, ownedLess, ownedWrite } from '../store/owned.ts';
import { returnCopy, takeCopy } from '../store/products.ts';
import { saleKey } from '../store/sale-state.ts';
import { rankedBy, type SpendItem, spendKey, spendWrite, spentMore } from '../store/spend.ts';
import { all, check, is, isNew, update, type Write } from '../table/language.ts';
import type { CompletedRefund, CompletedSale } from './decide.ts';
import type { Names, OfferAsked, RefundFacts, SaleFacts } from './facts.ts';
import { paymentOf, sharesOf, type Terms } from './rules.ts';
import { listedAs, type SaleItem, saleWrites } from './sales.ts';
import { takenBy } from './taken.ts';
import { orderOf, unsentList } from './unsent.ts';

/**
 * Lists what a sale or a refund writes, each write on condition that nothing has changed that it was decided from. The
 * credit is written beside it: see lib/credit/writes.ts.
 */

/** The writes beside those of the credit. */
interface WritesBeside {
  writes: Write[];
  /** Attributes of the buyer's item that change beside the credit. */
  customer: Partial<CreditItem>;
}

/** A sale as its request asks for it. */
export interface SaleAsked extends Pick<SaleRequest, 'id' | 'productId' | 'paid' | 'message' | 'reference'> {
  store: string;
  /** UUIDs; undefined for avatars whom nobody has met. */
  buyer: string | undefined;
  recipient: string | undefined;
  at: string;
  /** Tells the request from others under the same id. */
  request: string;
  /** The id of its delivery. */
  deliveryId: string;
}

/** The attributes of a sale's item that are the same however it ends. */
const begun = ({ store, id, productId, buyer, recipient, paid, at, request, reference }: SaleAsked) => ({
  ...saleKey(store, id),
  productId,
  buyerUuid: buyer ?? null,
  recipientUuid: recipient ?? null,
  paid,
  at,
  request,
  ...(reference && { reference }),
});

const priced = ({ coupon: _, toPay: __, ...prices }: Terms) => prices;

/** The item of a sale that is refused: the buyer gets everything back. */
export const refusedSale = (asked: SaleAsked, refusal: Refusal, terms: Terms): SaleItem => {
  const sale = { ...begun(asked), ...priced(terms), state: 'refused' as const };
  const { change } = paymentOf(asked.paid, terms, refusal);
  return { ...sale, ...listedAs(asked.store, sale), refusal, refund: change, change, deliveryId: null, shares: [] };
};

/** The item of a sale that is made. */
export const completedSale = (
  asked: SaleAsked,
  { terms, product, payment, plan }: CompletedSale,
  names: Names,
): SaleItem => {
  const { store, id, message, deliveryId } = asked;
  const sale = { ...begun(asked), ...priced(terms), state: 'completed' as const };
  const { kept, change } = payment;
  const taken = { restricted: takenBy(plan.parts, 'restricted'), regular: takenBy(plan.parts, 'regular') };
  const fromLots = taken.restricted.length + taken.regular.length > 0;
  return {
    ...sale,
    ...listedAs(store, sale),
    refusal: null,
    refund: change,
    change,
    deliveryId,
    flags: unsentList(id),
    shares: sharesOf(kept, terms.coupon, product.profitShares),
    ...(terms.coupon && { coupon: terms.coupon }),
    item: product.item,
    recipientUsername: names.recipient,
    ...(message && { message }),
    ...(fromLots && { taken }),
  };
};

/**
 * The checks that coupons still have no use left: a refund gives a use back together with credit, and single reads may
 * see one of them before and one after. One coupon may be applied both for the product and to the whole store.
 */
const usedUpStill = (usedUp: readonly CouponUses[]): Write[] =>
  [...new Map(usedUp.map((read) => [read.sk, read])).values()].map(({ pk, sk, uses }) =>
    check({ pk, sk }, is('uses', uses)),
  );

/** The change of an avatar's spend; none where they neither pay nor come to own another product. */
interface SpendMove {
  uuid: string;
  username: string;
  before: SpendItem | undefined;
  /** The L$, and the time of the sale for which they count. */
  paid: number;
  at: string;
  /** Products that they own more. */
  acquired: number;
}

const spendMoved = (store: string, { uuid, username, before, paid, at, acquired }: SpendMove): WritesBeside => {
  if (paid === 0 && acquired === 0) return { writes: [], customer: {} };
  const after = spentMore(before, paid === 0 ? [] : [{ price: paid, at }], acquired);
  return { writes: [spendWrite(store, { uuid, username }, before, after)], customer: rankedBy(after.sum, uuid) };
};

/** The writes of a gift to its recipient. */
const givenTo = (
  store: string,
  uuid: string,
  username: string,
  { owned, recipientItem, recipientSpend }: SaleFacts,
  at: string,
) => [
  ...spendMoved(store, { uuid, username, before: recipientSpend, paid: 0, at, acquired: owned ? 0 : 1 }).writes,
  // An erasure takes the customer away together with their spend, so a recipient without any may be gone.
  ...(recipientItem && recipientSpend ? [] : [customerUpsert(store, { uuid, username })]),
];

/** The writes of a sale beside the credit. */
export const writesOfSale = (
  { store, at, parties }: OfferAsked,
  facts: SaleFacts,
  { product, terms, payment: { kept }, uses, usedUp }: CompletedSale,
  names: Names,
  sale: SaleItem,
): WritesBeside => {
  const { buyer, recipient, productId } = parties;
  const { spend, owned } = facts;
  const isForOneself = buyer === recipient;
  const acquired = isForOneself && !owned ? 1 : 0;
  const spent = spendMoved(store, { uuid: buyer, username: names.buyer, before: spend, paid: kept, at, acquired });
  const writes = [
    ...saleWrites(store, sale),
    ...(product.limited ? [takeCopy(store, product.id)] : []),
    ...usedUpStill(usedUp),
    ...(terms.coupon ? [countUse(couponUsesKey(store, buyer, terms.coupon.id), uses, 1)] : []),
    ...spent.writes,
    ownedWrite(ownedKey(store, recipient, productId), owned, [at], at),
    ...(isForOneself ? [] : givenTo(store, recipient, names.recipient, facts, at)),
  ];
  return { writes, customer: spent.customer };
};

/** The item of a sale that is refunded. */
export const refundedSale = (sale: SaleItem, { at, reason, reference }: Cause): SaleItem => ({
  ...sale,
  refundedAt: at,
  refundReference: reference,
  refundReason: reason,
  state: 'refunded',
  refund: sale.paid,
});

/** The writes of a refund beside the credit. What does not show yet may show when they arrive: that is checked. */
export const writesOfRefund = (
  store: string,
  cause: Cause,
  facts: RefundFacts,
  { kept, isLast }: CompletedRefund,
): WritesBeside => {
  const { sale, avatars, product, uses, spend, recipientSpend, owned, delivery } = facts;
  const { buyer, recipient } = avatars;
  const isForOneself = buyer === recipient;
  const { refundedAt, refundReference, refundReason, state, refund } = refundedSale(sale, cause);
  const marks = { refundedAt, refundReference, refundReason, state, refund, flags: undefined };
  /** Takes back what an avatar spent, and a product that they own no more. */
  const unspent = (uuid: string, before: SpendItem | undefined, paid: number, lost: number) =>
    before
      ? spendMoved(store, { uuid, username: before.username, before, paid: -paid, at: sale.at, acquired: -lost })
      : { writes: [check(spendKey(store, uuid), isNew)], customer: {} };
  const ofBuyer = unspent(buyer, spend, kept, isForOneself && isLast ? 1 : 0);
  const ofRecipient = isForOneself ? [] : unspent(recipient, recipientSpend, 0, isLast ? 1 : 0).writes;
  const writes = [
    update(sale, {
      set: { ...listedAs(store, { ...sale, state }), ...marks },
      // An erasure gives the sale other avatars, and moves all that is theirs away from where it was read.
      when: all(is('state', 'completed'), is('buyerUuid', buyer), is('recipientUuid', recipient)),
    }),
    ...(product ? returnCopy(store, product) : []),
    ...(sale.coupon ? [takeUseBack(couponUsesKey(store, buyer, sale.coupon.id), uses)] : []),
    ...ofBuyer.writes,
    ...ofRecipient,
    owned ? ownedLess(owned) : check(ownedKey(store, recipient, sale.productId), isNew),
    ...(sale.imported ? [] : refundedDelivery(orderOf(sale), delivery)),
  ];
  return { writes, customer: ofBuyer.customer };
};
