import { now, timestamp } from '../clock.ts';
import type { Identifier } from '../identifier.ts';
import type { Source } from '../lists/source.ts';
import { allOf, answer, decide } from '../table/decide.ts';
import { all, is, isNew, put, update, type Write } from '../table/language.ts';
import { type Key, partition } from '../table/schema.ts';
import { get, rowsOf } from '../table/table.ts';
import { type CustomerItem, customerUpsert, findCustomerItem, getCustomer, rankOf, uuidOf } from './customers.ts';
import { type OwnedItem, ownedKey, ownedWrite } from './owned.ts';
import type { Resident } from './residents.ts';

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
  productId: string;
  /** In whole L$. */
  price: number;
  /** When. */
  at: string;
}

export interface SpendItem extends Key {
  username: string;
  /** Grows with every change, since sums can fall. Absent in items of earlier versions. */
  version?: number;
  sum: number;
  totalOwned: number;
  /** The spend of each UTC day of about the last year. */
  days: Record<string, number>;
}

const dayMillis = 86_400_000;
const yearDays = 365;

export const spendKey = (store: string, uuid: string) => ({ pk: partition(store, 'SPEND'), sk: uuid });

const dayOf = (millis: number): string => timestamp(millis).slice(0, 10);

/** The days that count as the last year at `millis`. */
const firstDayOfYear = (millis: number): string => dayOf(millis - (yearDays - 1) * dayMillis);

/** Throws 404 for an unknown resident. */
export const getSpend = async (store: string, identifier: Identifier): Promise<Spend> => {
  const uuid = await uuidOf(store, identifier);
  const item = await get<SpendItem>(spendKey(store, uuid));
  if (!item) {
    const { username } = await getCustomer(store, { uuid });
    return { uuid, username, sum: 0, lastYearSum: 0, totalOwned: 0 };
  }
  const { username, sum, totalOwned, days } = item;
  const [first, last] = [firstDayOfYear(now()), dayOf(now())];
  const lastYearSum = Object.entries(days).reduce(
    (total, [day, spent]) => (day >= first && day <= last ? total + spent : total),
    0,
  );
  return { uuid, username, sum, lastYearSum, totalOwned };
};

/** A purchase as stored. */
export interface PurchaseItem extends Key {
  uuid: string;
  productId: string;
  price: number;
  at: string;
}

export const purchaseKey = (store: string, id: string): Key => ({ pk: partition(store, 'PURCHASE'), sk: id });

/** A store's purchases, in the order of their ids. */
export const listPurchases = (store: string): Source<PurchaseItem> =>
  rowsOf({ partition: partition(store, 'PURCHASE') });

/** A buyer as the table has them before purchases of theirs are recorded. */
export interface BuyerState {
  spend: SpendItem | undefined;
  customer: CustomerItem | undefined;
  /** Those of the products bought that they own already, by the products' ids. */
  owned: ReadonlyMap<string, OwnedItem>;
}

/**
 * The spend of a customer after they have spent more, and come to own more products; or less, where these are negative.
 */
export const spentMore = (
  spend: SpendItem | undefined,
  amounts: readonly Pick<Purchase, 'price' | 'at'>[],
  acquired: number,
): Required<Pick<SpendItem, 'version' | 'sum' | 'totalOwned' | 'days'>> => {
  // Days that no request can read any more are dropped. One more day is kept, since clocks differ.
  const oldest = dayOf(now() - (yearDays + 1) * dayMillis);
  const days = Object.fromEntries(Object.entries(spend?.days ?? {}).filter(([known]) => known >= oldest));
  for (const { price, at } of amounts) {
    const day = dayOf(Date.parse(at));
    if (day >= oldest) days[day] = (days[day] ?? 0) + price;
  }
  const sum = amounts.reduce((total, { price }) => total + price, spend?.sum ?? 0);
  return { version: (spend?.version ?? 0) + 1, sum, totalOwned: (spend?.totalOwned ?? 0) + acquired, days };
};

/** The write that puts `after` in the place of a customer's spend. Refused if that has changed since it was read. */
export const spendWrite = (
  store: string,
  { uuid, username }: Resident,
  spend: SpendItem | undefined,
  after: ReturnType<typeof spentMore>,
): Write =>
  update(spendKey(store, uuid), {
    set: after,
    // A name that is there stays: a rename may have written it since it was read.
    ifMissing: { username },
    // Items of earlier versions have no version: there every change adds to the sum or to the products.
    when: spend ? all(is('version', spend.version), is('sum', spend.sum), is('totalOwned', spend.totalOwned)) : isNew,
  });

/** The attributes of a customer that follow their spend. */
export const rankedBy = (sum: number, uuid: string) => ({ sum, rank: sum > 0 ? rankOf(sum, uuid) : undefined });

/**
 * The writes that record purchases of one buyer: two items, and at most two for each purchase. Refused if the buyer's
 * spend or a product that they own has changed since `state`, or if one of the purchases is recorded already.
 */
export const purchaseItems = (
  store: string,
  { uuid, username }: Resident,
  purchases: readonly Omit<Purchase, 'buyer'>[],
  { spend, customer, owned }: BuyerState,
): Write[] => {
  const bought = Object.entries(Object.groupBy(purchases, ({ productId }) => productId));
  const acquired = bought.filter(([productId]) => !owned.has(productId));
  const after = spentMore(spend, purchases, acquired.length);
  return [
    spendWrite(store, { uuid, username: customer?.username ?? username }, spend, after),
    customerUpsert(store, { uuid, username }, { set: rankedBy(after.sum, uuid) }),
    ...purchases.map(({ id, productId, price, at }) =>
      put({ ...purchaseKey(store, id), uuid, productId, price, at }, isNew),
    ),
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
 * Records a purchase: the customer's spend and what they own, in one transaction with the purchase itself. False, and
 * nothing written, if a purchase of this id is recorded already.
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
    return allOf(purchaseItems(store, buyer, [purchase], state), { result: true });
  });
