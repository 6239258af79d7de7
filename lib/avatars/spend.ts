import { now, timestamp } from '../clock.ts';
import { type Identifier, nilUuid } from '../identifier.ts';
import type { Source } from '../lists/source.ts';
import { answer, decide, writeAll } from '../table/decide.ts';
import { ownedKey, partition, purchaseKey, spendKey } from '../table/keys.ts';
import { type Condition, is, isNew, put, unchanged, update, type Write } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { get, rowsOf } from '../table/table.ts';
import { type CustomerItem, customerUpsert, demandUuid, findCustomerItem, getCustomer } from './customers.ts';
import { type OwnedItem, ownedWrite } from './owned.ts';
import type { Resident } from './residents.ts';
import { rankedBy, spendListOf } from './spend-list.ts';

/** A customer's spend, in whole L$. */
export interface Spend {
  uuid: string;
  username: string;
  /** Over all time. */
  sum: number;
  /** Over the last 365 UTC days, today included. */
  lastYearSum: number;
  /** Distinct products that they own. */
  totalOwned: number;
}

/** A purchase from the store's vendors or from another system's export. */
export interface Purchase {
  /** Unique in the store; a purchase is recorded once. */
  id: string;
  buyer: Resident;
  /** The nil UUID for a sum of purchases that nobody has listed one by one: it makes them own nothing. */
  productId: string;
  /** In whole L$. */
  price: number;
  at: string;
  /** For a sum that a move carries: the L$ that the other side told, single rows included. */
  told?: number;
}

export interface SpendItem extends Key {
  username: string;
  /** Grows with every change, since sums can fall. See `spentMore`. */
  version: number;
  sum: number;
  totalOwned: number;
  /** The spend of each UTC day of about the last year. */
  days: Record<string, number>;
  /** Its list by spend, and its place there. */
  ranked?: string;
  rank?: string;
}

const dayMillis = 86_400_000;
const yearDays = 365;

const dayAt = (millis: number): string => timestamp(millis).slice(0, 10);

/** The first day that counts as the last year at `millis`. */
const firstDayOfYear = (millis: number): string => dayAt(millis - (yearDays - 1) * dayMillis);

/** The spend of the last year at `millis`. */
export const lastYearSum = (days: SpendItem['days'], millis: number): number => {
  const [first, last] = [firstDayOfYear(millis), dayAt(millis)];
  return Object.entries(days).reduce((total, [day, spent]) => (day >= first && day <= last ? total + spent : total), 0);
};

/** Tells whether L$ that were spent at a time count in the last year now. */
export const isInLastYear = (at: string): boolean => lastYearSum({ [dayAt(Date.parse(at))]: 1 }, now()) > 0;

/** A customer's spend as the API answers it. */
export const readSpend = ({ sk: uuid, username, sum, totalOwned, days }: SpendItem): Spend => ({
  uuid,
  username,
  sum,
  lastYearSum: lastYearSum(days, now()),
  totalOwned,
});

/** Throws 404 for an unknown resident. */
export const getSpend = async (store: string, identifier: Identifier): Promise<Spend> => {
  const uuid = await demandUuid(store, identifier);
  const item = await get<SpendItem>(spendKey(store, uuid));
  if (!item) {
    const { username } = await getCustomer(store, { uuid });
    return { uuid, username, sum: 0, lastYearSum: 0, totalOwned: 0 };
  }
  return readSpend(item);
};

/** A purchase as stored. */
export interface PurchaseItem extends Key {
  uuid: string;
  productId: string;
  price: number;
  at: string;
  /** As in `Purchase`. */
  told?: number;
}

/** A store's purchases, in the order of their ids. */
export const listPurchases = (store: string): Source<PurchaseItem> =>
  rowsOf({ partition: partition(store, 'PURCHASE') });

/** A buyer as the table has them before their purchases are recorded. */
export interface BuyerState {
  spend: SpendItem | undefined;
  customer: CustomerItem | undefined;
  /** The bought products that they own already, by the products' ids. */
  owned: ReadonlyMap<string, OwnedItem>;
  /** The purchases that are recorded already, by their ids. The new ones replace them. */
  recorded?: ReadonlyMap<string, PurchaseItem>;
}

/** A customer's spend after they have spent more and own more products; or less, if the numbers are negative. */
export const spentMore = (
  spend: SpendItem | undefined,
  amounts: readonly Pick<Purchase, 'price' | 'at'>[],
  acquired: number,
): Pick<SpendItem, 'version' | 'sum' | 'totalOwned' | 'days'> => {
  // Days that no request can read any more are dropped. One more day is kept, since clocks differ.
  const oldest = dayAt(now() - (yearDays + 1) * dayMillis);
  const days = Object.fromEntries(Object.entries(spend?.days ?? {}).filter(([known]) => known >= oldest));
  for (const { price, at } of amounts) {
    const day = dayAt(Date.parse(at));
    if (day >= oldest) days[day] = (days[day] ?? 0) + price;
  }
  const sum = amounts.reduce((total, { price }) => total + price, spend?.sum ?? 0);
  // A first spend begins at the time, so that no number comes again if the avatar is erased and comes back.
  return { version: (spend?.version ?? now()) + 1, sum, totalOwned: (spend?.totalOwned ?? 0) + acquired, days };
};

/** The condition that a customer's spend has not changed since it was read. */
export const asSpent = (spend: SpendItem | undefined): Condition => (spend ? is('version', spend.version) : isNew);

/**
 * The write that replaces a customer's spend with `after`. Refused if the spend has changed since it was read. A first
 * spend enters the list for the customer's subscription. So the transaction must check that the subscription is as it
 * was read.
 */
export const spendWrite = (
  store: string,
  { uuid, username }: Resident,
  spend: SpendItem | undefined,
  after: ReturnType<typeof spentMore>,
  newsSubscriber = false,
): Write =>
  update(spendKey(store, uuid), {
    set: { ...after, ...rankedBy(after.sum, uuid) },
    // A name that is there stays: a rename may have written it since it was read. The same goes for the list.
    ifMissing: { username, ranked: spendListOf(store, newsSubscriber) },
    when: asSpent(spend),
  });

/**
 * The write that makes a buyer a customer, in one transaction with their first spend. Refused if their subscription is
 * not as it was read.
 */
export const buyerUpsert = (
  store: string,
  { uuid, username }: Resident,
  customer: Pick<CustomerItem, 'newsSubscriber'> | undefined,
): Write => customerUpsert(store, { uuid, username }, { when: is('newsSubscriber', customer?.newsSubscriber) });

/**
 * The writes that record purchases of one buyer: two items, and at most two for each purchase. Refused if the buyer's
 * spend, or a product that they own, has changed since `state`; and if a purchase is recorded already that `state` does
 * not have.
 */
export const purchaseItems = (
  store: string,
  { uuid, username }: Resident,
  purchases: readonly Omit<Purchase, 'buyer'>[],
  { spend, customer, owned, recorded = new Map() }: BuyerState,
): Write[] => {
  const products = purchases.filter(({ productId }) => productId !== nilUuid);
  const bought = Object.entries(Object.groupBy(products, ({ productId }) => productId));
  const acquired = bought.filter(([productId]) => !owned.has(productId));
  const replaced = recorded.values().map(({ price, at }) => ({ price: -price, at }));
  const after = spentMore(spend, [...purchases, ...replaced], acquired.length);
  return [
    spendWrite(store, { uuid, username: customer?.username ?? username }, spend, after, customer?.newsSubscriber),
    buyerUpsert(store, { uuid, username }, customer),
    ...purchases.map(({ id, productId, price, at, told }) => {
      const before = recorded.get(id);
      const item = { ...purchaseKey(store, id), uuid, productId, price, at, ...(told !== undefined && { told }) };
      return before ? put(item, unchanged(before), before) : put(item, isNew);
    }),
    ...bought.map(([productId, some = []]) =>
      ownedWrite(
        ownedKey(store, uuid, productId),
        owned.get(productId),
        some.map(({ at }) => at),
      ),
    ),
  ];
};

/**
 * Records a purchase: the customer's spend and what they own, in one transaction with the purchase itself. If a
 * purchase with this id is recorded already, it writes nothing and answers false.
 */
export const recordPurchase = (store: string, purchase: Purchase): Promise<boolean> =>
  decide(async () => {
    const { id, buyer, productId } = purchase;
    const [recorded, owned, spend, customer] = await Promise.all([
      get(purchaseKey(store, id)),
      get<OwnedItem>(ownedKey(store, buyer.uuid, productId)),
      get<SpendItem>(spendKey(store, buyer.uuid)),
      findCustomerItem(store, buyer.uuid),
    ]);
    if (recorded) return answer(false);
    const state = { spend, customer, owned: new Map(owned ? [[productId, owned]] : []) };
    return writeAll(purchaseItems(store, buyer, [purchase], state), { result: true });
  });
