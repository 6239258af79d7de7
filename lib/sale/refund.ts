import { now, timestamp } from '../clock.ts';
import { changeTogether, type Joined } from '../credit/change.ts';
import type { Author, Cause, CreditItem, Part } from '../credit/state.ts';
import { findDelivery, refundedDelivery } from '../delivery/deliveries.ts';
import { invalid } from '../problem.ts';
import type { Sale } from '../routes/sales.ts';
import { couponUsesKey, findCouponUses, takeUseBack } from '../store/coupon-uses.ts';
import { findCustomerItem } from '../store/customers.ts';
import { type OwnedItem, ownedKey, ownedLess } from '../store/owned.ts';
import { findProduct, returnCopy } from '../store/products.ts';
import { rankedBy, type SpendItem, spendKey, spendWrite, spentMore } from '../store/spend.ts';
import { all, check, is, isNew, update, type Write } from '../table/language.ts';
import { pauseOvertaken } from '../table/retry.ts';
import { get } from '../table/table.ts';
import { getSale, listedAs, type SaleItem, saleOf } from './sales.ts';
import { orderOf } from './unsent.ts';

/** Ends an attempt at a refund: the sale is not as it was read any more, or an avatar of it is being erased. */
class Overtaken extends Error {}

/** The credit that comes back: restricted first, so that regular has the higher number in history. */
const partsOf = ({ credit, restrictedCredit, taken = { restricted: [], regular: [] } }: SaleItem): Part[] => {
  const partOf = (type: Part['type'], amount: number): Part[] => {
    const lots = taken[type].map(([expiresAt, part]) => ({ expiresAt, amount: part }));
    const unlotted = lots.reduce((rest, lot) => rest - lot.amount, amount);
    return amount > 0 ? [{ type, command: { kind: 'refund', lots, unlotted } }] : [];
  };
  return [...partOf('restricted', restrictedCredit), ...partOf('regular', credit)];
};

/** A refund of a sale whose state and avatars are as they were read. */
interface Refund {
  sale: SaleItem;
  buyer: string;
  recipient: string;
  cause: Cause;
  isScript: boolean;
  together: readonly Write[];
}

/** Makes the refund. Throws Overtaken where the sale has another state or other avatars by now. */
const refundOnce = ({ sale: first, buyer, recipient, cause, isScript, together }: Refund): Promise<Sale> => {
  const { pk, sk: id } = first;
  const store = pk.slice(0, pk.indexOf('#'));
  const { at, reason, reference } = cause;
  const isForOneself = buyer === recipient;
  let attempt = 0;

  /**
   * A sale makes its avatars customers: one who is none is being erased, and their spend has yet to follow the sale.
   */
  const customerOf = async (uuid: string): Promise<CreditItem> => {
    const customer = await findCustomerItem(store, uuid);
    if (!customer) throw new Overtaken();
    return customer;
  };

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
    const isAsRead = sale.buyerUuid === buyer && sale.recipientUuid === recipient;
    if (sale.state !== 'completed' || !isAsRead) throw new Overtaken();
    if (!isForOneself && !recipientSpend) await customerOf(recipient);

    const kept = sale.paid - sale.refund;
    const lost = owned && (owned.quantity ?? 1) === 1 ? 1 : 0;
    const lostByBuyer = isForOneself ? lost : 0;
    const spent = spend && spentMore(spend, kept > 0 ? [{ price: -kept, at: sale.at }] : [], -lostByBuyer);
    const isSpending = spend !== undefined && spent !== undefined && (kept > 0 || lostByBuyer > 0);
    const state = 'refunded' as const;
    const marks = { refundedAt: at, refundReference: reference, refundReason: reason };
    const change = { ...listedAs(store, { ...sale, state }), ...marks, state, refund: sale.paid, flags: undefined };
    const writes: Write[] = [
      update(sale, {
        set: change,
        // An erasure gives the sale other avatars, and moves all that is theirs away from where it was read.
        when: all(is('state', 'completed'), is('buyerUuid', buyer), is('recipientUuid', recipient)),
      }),
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
  const readItem = () => customerOf(buyer);
  return changeTogether(store, buyer, cause, { kind: 'refund', saleId: id }, { join, readItem });
};

/**
 * Refunds a completed sale: credit, stock, coupon use, ownership and spend go back in one transaction with it and the
 * writes of `together`, and its delivery is not made any more. Answers the sale; one that was refunded before as it is
 * since the first time. Throws 404 for an unknown sale, 400 for one that was refused, and 503 where other writers, or
 * an erasure, do not let it through.
 */
export const refundSale = async (
  store: string,
  id: string,
  author: Author,
  isScript = false,
  together: readonly Write[] = [],
): Promise<Sale> => {
  const cause: Cause = { at: timestamp(now()), ...author };
  for (let attempt = 1; ; attempt++) {
    const sale = await getSale(store, id);
    const { state, buyerUuid: buyer, recipientUuid: recipient } = sale;
    if (state === 'refunded') return saleOf(sale, isScript);
    if (buyer === null || recipient === null || state === 'refused')
      throw invalid('The sale was refused: there is nothing to refund.');
    try {
      return await refundOnce({ sale, buyer, recipient, cause, isScript, together });
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
      await pauseOvertaken(attempt);
    }
  }
};
