import { now, timestamp } from '../clock.ts';
import { changeTogether, type Joined } from '../credit/change.ts';
import type { Cause } from '../credit/lots.ts';
import type { Author, CreditItem, Part } from '../credit/state.ts';
import { findDelivery, refundedDelivery } from '../delivery/deliveries.ts';
import { invalid } from '../problem.ts';
import type { Sale } from '../routes/sales.ts';
import { couponUsesKey, findCouponUses, takeUseBack } from '../store/coupon-uses.ts';
import { customerKey, findCustomerItem } from '../store/customers.ts';
import { type OwnedItem, ownedKey, ownedLess } from '../store/owned.ts';
import { findProduct, returnCopy } from '../store/products.ts';
import { rankedBy, type SpendItem, spendKey, spendWrite, spentMore } from '../store/spend.ts';
import { check, is, isNew, update, type Write } from '../table/language.ts';
import { get } from '../table/table.ts';
import { getSale, listedAs, type SaleItem, saleOf } from './sales.ts';
import { orderOf } from './unsent.ts';

/** Ends the attempt at a refund: another request has made it. */
class Refunded extends Error {
  readonly sale: SaleItem;
  constructor(sale: SaleItem) {
    super('The sale was refunded already.');
    this.sale = sale;
  }
}

/** The credit that comes back: restricted first, so that regular has the higher number in history. */
const partsOf = ({ credit, restrictedCredit, taken = { restricted: [], regular: [] } }: SaleItem): Part[] => {
  const partOf = (type: Part['type'], amount: number): Part[] => {
    const lots = taken[type].map(([expiresAt, part]) => ({ expiresAt, amount: part }));
    const unlotted = lots.reduce((rest, lot) => rest - lot.amount, amount);
    return amount > 0 ? [{ type, command: { kind: 'refund', lots, unlotted } }] : [];
  };
  return [...partOf('restricted', restrictedCredit), ...partOf('regular', credit)];
};

/**
 * Refunds a completed sale: credit, stock, coupon use, ownership and spend go back in one transaction with it and the writes of
 * `together`, and its delivery is not made any more. Answers the sale; one that was refunded before as it is since the first time. Throws 404 for an
 * unknown sale, 400 for one that was refused, and 503 where other writers do not let it through.
 */
export const refundSale = async (
  store: string,
  id: string,
  author: Author,
  isScript = false,
  together: readonly Write[] = [],
): Promise<Sale> => {
  const cause: Cause = { at: timestamp(now()), ...author };
  const { at, reason, reference } = cause;
  const first = await getSale(store, id);
  const { buyerUuid: buyer, recipientUuid: recipient } = first;
  if (first.state === 'refunded') return saleOf(first, isScript);
  if (buyer === null || recipient === null || first.state === 'refused')
    throw invalid('The sale was refused: there is nothing to refund.');
  const isForOneself = buyer === recipient;
  let attempt = 0;

  const join = async (): Promise<Joined<Sale>> => {
    attempt += 1;
    const order = orderOf(first);
    const [sale, product, uses, spend, recipientSpend, owned, delivery] = await Promise.all([
      attempt > 1 ? getSale(store, id) : first,
      findProduct(store, first.productId),
      first.coupon && findCouponUses(store, buyer, first.coupon.id),
      get<SpendItem>(spendKey(store, buyer)),
      isForOneself ? undefined : get<SpendItem>(spendKey(store, recipient)),
      get<OwnedItem>(ownedKey(store, recipient, first.productId)),
      // The store that sold it gave an imported one.
      first.imported ? undefined : findDelivery(store, order.id),
    ]);
    if (sale.state !== 'completed') throw new Refunded(sale);

    const kept = sale.paid - sale.refund;
    const lost = owned && (owned.quantity ?? 1) === 1 ? 1 : 0;
    const lostByBuyer = isForOneself ? lost : 0;
    const spent = spend && spentMore(spend, kept > 0 ? [{ price: -kept, at: sale.at }] : [], -lostByBuyer);
    const isSpending = spend !== undefined && spent !== undefined && (kept > 0 || lostByBuyer > 0);
    const state = 'refunded' as const;
    const marks = { refundedAt: at, refundReference: reference, refundReason: reason };
    const change = { ...listedAs(store, { ...sale, state }), ...marks, state, refund: sale.paid, flags: undefined };
    const writes: Write[] = [
      update(sale, { set: change, when: is('state', 'completed') }),
      ...(product ? returnCopy(store, product) : []),
      // An item of the sale that did not show yet may show now.
      ...(spend ? [] : [check(spendKey(store, buyer), isNew)]),
      ...(isForOneself || recipientSpend ? [] : [check(spendKey(store, recipient), isNew)]),
      ...(sale.coupon ? [takeUseBack(couponUsesKey(store, buyer, sale.coupon.id), uses)] : []),
      ...(isSpending ? [spendWrite(store, { uuid: buyer, username: spend.username }, spend, spent)] : []),
      owned ? ownedLess(owned) : check(ownedKey(store, recipient, first.productId), isNew),
      ...(recipientSpend && lost > 0
        ? [
            spendWrite(
              store,
              { uuid: recipient, username: recipientSpend.username },
              recipientSpend,
              spentMore(recipientSpend, [], -1),
            ),
          ]
        : []),
      ...(first.imported ? [] : refundedDelivery(order, delivery)),
      ...together,
    ];
    const answer = saleOf({ ...sale, ...marks, state, refund: sale.paid }, isScript);
    return {
      parts: partsOf(sale),
      read: [],
      writes: () => writes,
      customer: isSpending ? rankedBy(spent.sum, buyer) : {},
      answer: () => answer,
    };
  };
  const readItem = async (): Promise<CreditItem> =>
    (await findCustomerItem(store, buyer)) ?? { ...customerKey(store, buyer), username: buyer };
  try {
    return await changeTogether(store, buyer, cause, { kind: 'refund', saleId: id }, { join, readItem });
  } catch (error) {
    if (error instanceof Refunded) return saleOf(error.sale, isScript);
    throw error;
  }
};
