import { type CustomerItem, customerUpsert } from '../avatars/customers.ts';
import { ownedLess, ownedWrite } from '../avatars/owned.ts';
import type { Resident } from '../avatars/residents.ts';
import { asSpent, buyerUpsert, type SpendItem, spendWrite, spentMore } from '../avatars/spend.ts';
import { type CouponUses, countUse, takeUseBack } from '../catalogue/coupon-uses.ts';
import { cardRefund, soldCard } from '../catalogue/gift-cards.ts';
import { returnCopy, takeCopy } from '../catalogue/stock.ts';
import { asCredited } from '../credit/state.ts';
import type { OtherWrites } from '../credit/writes.ts';
import { refundedDelivery } from '../delivery/deliveries.ts';
import { couponUsesKey, giftCardKey, ownedKey, saleKey, spendKey } from '../table/keys.ts';
import { all, check, is, isNew, update, type Write } from '../table/language.ts';
import { uncountedShares } from './debts.ts';
import type { AskedByAnybody, AskedSale, Names, RefundFacts, SaleFacts } from './facts.ts';
import type { CompletedRefund, CompletedSale, RefusedSale } from './judge.ts';
import { paymentOf, type Terms } from './rules.ts';
import { listedAs, type SaleItem, saleWrite } from './sales.ts';
import { takenBy } from './taken.ts';
import { orderOf } from './unsent.ts';

/**
 * Lists what a sale or a refund writes. Each write has the condition that the facts behind it have not changed. The
 * credit is written by lib/credit/writes.ts.
 */

/** The attributes of a sale's item that do not depend on its outcome. */
const begun = ({
  store,
  id,
  productId,
  buyer,
  recipient,
  paid,
  at,
  request,
  reference,
  vendorUuid,
}: AskedByAnybody) => ({
  ...saleKey(store, id),
  productId,
  buyerUuid: buyer ?? null,
  recipientUuid: recipient ?? null,
  paid,
  at,
  request,
  ...(reference && { reference }),
  ...(vendorUuid && { vendorUuid }),
});

const priced = ({ coupon: _, toPay: __, inGroup: ___, cardCredit: ____, ...prices }: Terms) => prices;

/** The item of a sale that is refused: the buyer gets everything back. */
export const refusedSale = (asked: AskedByAnybody, { refusal, terms }: Omit<RefusedSale, 'kind'>): SaleItem => {
  const sale = { ...begun(asked), ...priced(terms), state: 'refused' as const };
  const { change } = paymentOf(asked.paid, terms, refusal);
  return { ...sale, ...listedAs(asked.store, sale), refusal, refund: change, change, deliveryId: null, shares: [] };
};

/** The item of a sale that is made. */
export const completedSale = (
  asked: AskedSale,
  { terms, product, payment, shares, plan, bonus }: CompletedSale,
  names: Names,
  giftCardId: string | undefined,
): SaleItem => {
  const { store, message, deliveryId } = asked;
  const sale = { ...begun(asked), ...priced(terms), state: 'completed' as const };
  const { change } = payment;
  const taken = { restricted: takenBy(plan.parts, 'restricted'), regular: takenBy(plan.parts, 'regular') };
  const fromLots = taken.restricted.length + taken.regular.length > 0;
  return {
    ...sale,
    ...listedAs(store, sale),
    refusal: null,
    refund: change,
    change,
    deliveryId,
    shares,
    ...uncountedShares({ shares }),
    ...(terms.coupon && { coupon: terms.coupon }),
    item: product.item,
    recipientUsername: names.recipient,
    ...(message && { message }),
    ...(fromLots && { taken }),
    ...(bonus && { bonus }),
    ...(giftCardId !== undefined && { giftCardId }),
  };
};

/**
 * The checks that coupons still have no use left. A refund gives a use back together with credit, and single reads may
 * see the coupon before the refund and the credit after it, or the other way round.
 */
const usedUpStill = (usedUp: readonly CouponUses[]): Write[] =>
  [...new Map(usedUp.map((read) => [read.sk, read])).values()].map(({ pk, sk, uses }) =>
    check({ pk, sk }, is('uses', uses)),
  );

/** The change of an avatar's spend. There is none if they neither pay nor own one more product. */
interface SpendMove {
  uuid: string;
  username: string;
  before: SpendItem | undefined;
  /** The L$, and the time of the sale that they count for. */
  paid: number;
  at: string;
  /** How many more products they own. */
  acquired: number;
}

const spendMoved = (
  store: string,
  { uuid, username, before, paid, at, acquired }: SpendMove,
  customer?: CustomerItem,
): Write[] => {
  if (paid === 0 && acquired === 0) return [];
  const after = spentMore(before, paid === 0 ? [] : [{ price: paid, at }], acquired);
  return [spendWrite(store, { uuid, username }, before, after, customer?.newsSubscriber)];
};

/** The check that the spend by which a tier was chosen is as it was read. */
const spendAsRead = ({ asked: { store, buyer }, countedSpend }: SaleFacts): Write[] =>
  countedSpend ? [check(spendKey(store, buyer), asSpent(countedSpend.item))] : [];

/** The writes that give a gift to its recipient. */
const givenTo = (
  { asked: { store, at }, owned, recipientItem, recipientSpend }: SaleFacts,
  { uuid, username }: Resident,
): Write[] => [
  ...spendMoved(store, { uuid, username, before: recipientSpend, paid: 0, at, acquired: owned ? 0 : 1 }, recipientItem),
  // An erasure takes the customer away together with their spend. So a recipient without spend may be gone.
  ...(recipientItem && recipientSpend ? [] : [buyerUpsert(store, { uuid, username }, recipientItem)]),
];

/**
 * The write of the buyer's item in a sale that changes no credit. It is left out if the sale could not take credit, and
 * writes the buyer's spend item, which an erasure takes away together with the customer.
 */
const buyerAsRead = (
  { asked: { store }, buyerItem, spending }: SaleFacts,
  { uuid, username }: Resident,
  isSpendRead: boolean,
): Write[] => {
  const isListed = is('newsSubscriber', buyerItem?.newsSubscriber);
  const takesCredit = (spending?.most ?? 0) > 0;
  return buyerItem && isSpendRead && !takesCredit
    ? []
    : [customerUpsert(store, { uuid, username }, { when: all(asCredited(buyerItem), isListed) })];
};

/** The writes of a sale beside the credit. */
export const writesOfSale = (
  facts: SaleFacts,
  { product, terms, plan, payment: { kept }, uses, usedUp }: CompletedSale,
  names: Names,
  sale: SaleItem,
): OtherWrites => {
  const { asked, spend, owned, buyerItem } = facts;
  const { store, buyer, recipient, productId, at } = asked;
  const owner: Resident = { uuid: recipient, username: names.recipient };
  const { giftCard } = product;
  const isForOneself = buyer === recipient;
  const acquired = isForOneself && !owned ? 1 : 0;
  const resident: Resident = { uuid: buyer, username: names.buyer };
  const spent = spendMoved(store, { ...resident, before: spend, paid: kept, at, acquired }, buyerItem);
  const writes = [
    saleWrite(sale),
    ...(product.limited ? [takeCopy(store, product)] : []),
    ...usedUpStill(usedUp),
    ...(terms.coupon ? [countUse(couponUsesKey(store, buyer, terms.coupon.id), uses, 1)] : []),
    ...(spent.length > 0 ? spent : spendAsRead(facts)),
    ...(plan.parts.length > 0 ? [] : buyerAsRead(facts, resident, spend !== undefined && spent.length > 0)),
    ownedWrite(ownedKey(store, recipient, productId), owned, [at], at),
    ...(isForOneself ? [] : givenTo(facts, owner)),
    ...(giftCard && sale.giftCardId !== undefined ? [soldCard(store, owner, giftCard, sale.giftCardId, at)] : []),
  ];
  return { writes, customerWhen: is('newsSubscriber', buyerItem?.newsSubscriber) };
};

/** The item of a sale that is refunded. */
export const refundedSale = ({ sale, asked: { cause, payOut } }: RefundFacts): SaleItem => {
  const { at, reason, reference } = cause;
  const owesMore = sale.countedShares !== undefined || (payOut && sale.paid > sale.change);
  return {
    ...sale,
    refundedAt: at,
    refundReference: reference,
    refundReason: reason,
    state: 'refunded',
    refund: sale.paid,
    payOut: payOut || undefined,
    countedRefund: owesMore ? 0 : undefined,
  };
};

/** Disables the gift card that a sale made. The card of an imported sale may be missing. */
const cardTakenBack = ({ asked, sale, card }: RefundFacts): Write[] => {
  if (card) return [cardRefund(card, asked.cause.at)];
  return sale.giftCardId === undefined ? [] : [check(giftCardKey(asked.store, sale.giftCardId), isNew)];
};

/**
 * The writes of a refund beside the credit. An item that is not visible yet may be there when the writes arrive, so
 * they check it.
 */
export const writesOfRefund = (facts: RefundFacts, { kept, isLast }: CompletedRefund): Write[] => {
  const { asked, sale, product, uses, spend, recipientSpend, owned, delivery } = facts;
  const { store, buyer, recipient } = asked;
  const isForOneself = buyer === recipient;
  const refunded = refundedSale(facts);
  const { refundedAt, refundReference, refundReason, state, refund, countedRefund } = refunded;
  const marks = { refundedAt, refundReference, refundReason, state, refund, payOut: refunded.payOut, countedRefund };
  /** Takes back what an avatar spent, and a product that they do not own any more. */
  const unspent = (uuid: string, before: SpendItem | undefined, paid: number, lost: number) =>
    before
      ? spendMoved(store, { uuid, username: before.username, before, paid: -paid, at: sale.at, acquired: -lost })
      : [check(spendKey(store, uuid), isNew)];
  const ofBuyer = unspent(buyer, spend, kept, isForOneself && isLast ? 1 : 0);
  const ofRecipient = isForOneself ? [] : unspent(recipient, recipientSpend, 0, isLast ? 1 : 0);
  return [
    update(sale, {
      set: { ...listedAs(store, { ...sale, state }), ...marks },
      // An erasure gives the sale other avatars, and moves all their items to other keys.
      when: all(is('state', 'completed'), is('buyerUuid', buyer), is('recipientUuid', recipient)),
    }),
    ...(product ? returnCopy(store, product) : []),
    ...(sale.coupon ? [takeUseBack(couponUsesKey(store, buyer, sale.coupon.id), uses)] : []),
    ...ofBuyer,
    ...ofRecipient,
    owned ? ownedLess(owned) : check(ownedKey(store, recipient, sale.productId), isNew),
    ...(sale.imported ? [] : refundedDelivery(orderOf(sale), delivery)),
    ...cardTakenBack(facts),
  ];
};
