import { findCustomerItem, readCustomer } from '../../../lib/avatars/customers.ts';
import { listOwned } from '../../../lib/avatars/owned.ts';
import type { StoredResident } from '../../../lib/avatars/residents.ts';
import { getSpend } from '../../../lib/avatars/spend.ts';
import { listAppliedCoupons } from '../../../lib/catalogue/applied-coupons.ts';
import type { CouponUses } from '../../../lib/catalogue/coupon-uses.ts';
import { listCreditHistory } from '../../../lib/credit/history-list.ts';
import { listCreditLots } from '../../../lib/credit/lot-list.ts';
import type { CreditItem } from '../../../lib/credit/state.ts';
import { deliveryAnswer } from '../../../lib/delivery/deliveries.ts';
import type { Source } from '../../../lib/lists/source.ts';
import { findPayee, payeeAnswer } from '../../../lib/payout/payees.ts';
import { payoutAnswer } from '../../../lib/payout/payouts.ts';
import { listCoupons, listCustomerCoupons } from '../../../lib/routes/coupons.ts';
import * as credit from '../../../lib/routes/credit.ts';
import { getCustomer, getSpend as spend } from '../../../lib/routes/customers.ts';
import * as deliveries from '../../../lib/routes/deliveries.ts';
import { listGiftCards } from '../../../lib/routes/gift-cards.ts';
import { getPayout, listPayees } from '../../../lib/routes/payouts.ts';
import { listOwnedProducts } from '../../../lib/routes/products.ts';
import { getSale } from '../../../lib/routes/sales.ts';
import { type SaleItem, saleOf } from '../../../lib/sale/sales.ts';
import type { Store } from '../../../lib/store/stores.ts';
import { couponUsesKey, residentKey, storeResidentKey } from '../../../lib/table/keys.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { get, rowsOf } from '../../../lib/table/table.ts';
import { findCoupons } from '../kinds/coupons.ts';
import { findDeliveries } from '../kinds/deliveries.ts';
import { findOwnCards } from '../kinds/gift-cards.ts';
import { findPayouts } from '../kinds/payouts.ts';
import { findShares } from '../kinds/products.ts';
import { findPurchases } from '../kinds/purchases.ts';
import { findSales } from '../kinds/sales.ts';

const all = <T>(source: Source<T>): Promise<T[]> => source({ descending: false });

/** The names under a key of a resident; null if there are none. */
const namesAt = async (key: Key): Promise<{ username: string; names: string[] } | null> => {
  const told = await get<StoredResident>(key);
  return told ? { username: told.username, names: told.names } : null;
};

/** The sales that an avatar paid for, received or shares in, without facts about other people. */
const salesWith = (sold: readonly SaleItem[], uuid: string) => {
  const ofOthers = sold.filter(({ buyerUuid }) => buyerUuid !== uuid);
  return {
    // Who paid for a gift, who got it and who else has a share is about other people.
    salesPaid: sold
      .filter(({ buyerUuid }) => buyerUuid === uuid)
      .map((sale) => ({
        ...getSale.response.parse(saleOf(sale, false)),
        recipientUuid: sale.recipientUuid === uuid ? uuid : null,
        shares: sale.shares.filter(({ residentUuid }) => residentUuid === uuid),
        message: sale.message ?? null,
      })),
    salesReceived: ofOthers
      .filter(({ recipientUuid }) => recipientUuid === uuid)
      .map(({ sk: id, state, productId, at, deliveryId, message = null }) => ({
        id,
        state,
        productId,
        at,
        deliveryId,
        message,
      })),
    salesShared: ofOthers.flatMap(({ sk: saleId, state, productId, at, shares: all }) =>
      all
        .filter(({ residentUuid }) => residentUuid === uuid)
        .map(({ kind, percent, amount }) => ({ saleId, state, productId, at, kind, percent, amount })),
    ),
  };
};

/**
 * Everything that a store has about an avatar, and nothing about anybody else, in the form of the API's answers where
 * there is one.
 */
const exportStore = async ({ id: store, name }: Pick<Store, 'id' | 'name'>, uuid: string) => {
  const item: CreditItem | undefined = await findCustomerItem(store, uuid);
  const customer = item && getCustomer.response.parse(readCustomer(item));
  const resident = { uuid, username: item?.username ?? uuid };
  const [lots, history, applied] = [
    item ? await all(listCreditLots(store, item, {})) : [],
    await all(listCreditHistory(store, uuid)),
    await all(listAppliedCoupons(store, resident)),
  ];
  const [purchases, owned, cards] = [
    await findPurchases(store, uuid),
    await all(listOwned(store, uuid)),
    await findOwnCards(store, uuid),
  ];
  const sent = await findDeliveries(store, uuid);
  const shares = await findShares(store, uuid);
  const sold = await findSales(store, uuid);
  const [payee, paidOut] = [await findPayee(store, uuid), await findPayouts(store, uuid)];
  const uses = await all(rowsOf<CouponUses>({ partition: couponUsesKey(store, uuid, '').pk }));
  return {
    store: { id: store, name },
    toldToStore: await namesAt(storeResidentKey(store, uuid)),
    customer: customer ?? null,
    banReason: item?.banReason ?? null,
    creditLots: credit.listCreditLots.response.shape.data.parse(lots),
    creditHistory: credit.listCreditHistory.response.shape.data.parse(history),
    spend: customer ? spend.response.parse(await getSpend(store, { uuid })) : null,
    purchases: purchases.map(({ sk, productId, price, at }) => ({ id: sk, productId, price, at })),
    ...salesWith(sold, uuid),
    owed: payee ? listPayees.response.shape.data.parse([payeeAnswer(payee)])[0] : null,
    payouts: paidOut.map((payout) => getPayout.response.parse(payoutAnswer(payout, payee))),
    couponUses: uses.map(({ sk, uses: times }) => ({ couponId: sk, uses: times })),
    ownedProducts: listOwnedProducts.response.shape.data.parse(owned),
    giftCards: listGiftCards.response.shape.data.parse(cards),
    couponsOwned: listCoupons.response.shape.data.parse(await findCoupons(store, uuid)),
    couponsApplied: listCustomerCoupons.response.shape.data.parse(applied),
    profitShares: shares.map(({ id, name, profitShares }) => ({
      productId: id,
      name,
      percent: profitShares.find(({ userUuid }) => userUuid === uuid)?.percent,
    })),
    deliveries: sent.map((delivery) => ({
      ...deliveries.getDelivery.response.parse(deliveryAnswer(delivery)),
      message: delivery.message ?? null,
    })),
  };
};

/** Everything about an avatar in these stores, and what the operator told about them. */
export const exportPerson = async (stores: readonly Pick<Store, 'id' | 'name'>[], uuid: string, at: string) => {
  const exported: Awaited<ReturnType<typeof exportStore>>[] = [];
  for (const store of stores) exported.push(await exportStore(store, uuid));
  return { uuid, exportedAt: at, toldByOperator: await namesAt(residentKey(uuid)), stores: exported };
};
