import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { now, timestamp } from '../clock.ts';
import type { Identifier } from '../identifier.ts';
import { birth, type CustomerItem, customerKey, findCustomerItem, getCustomer, rankOf, uuidOf } from './customers.ts';
import type { Resident } from './residents.ts';
import { pause, transact } from './retry.ts';
import { db, partition, tableName } from './table.ts';

/** What a customer has spent, in whole L$. */
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

/** A purchase, as it comes from the store's vendors or from another system's export. */
export interface Purchase {
  /** Unique in the store; a purchase is recorded once. */
  id: string;
  buyer: Resident;
  productId: string;
  /** What was paid, in whole L$. */
  price: number;
  /** When. */
  at: string;
}

interface SpendItem {
  pk: string;
  sk: string;
  username: string;
  sum: number;
  totalOwned: number;
  /** What was spent on each UTC day of about the last year. */
  days: Record<string, number>;
}

const dayMillis = 86_400_000;
const yearDays = 365;

const spendKey = (store: string, uuid: string) => ({ pk: partition(store, 'SPEND'), sk: uuid });

const dayOf = (millis: number): string => timestamp(millis).slice(0, 10);

/** The days that count as the last year at `millis`. */
const firstDayOfYear = (millis: number): string => dayOf(millis - (yearDays - 1) * dayMillis);

const find = async <T>(key: { pk: string; sk: string }): Promise<T | undefined> => {
  const { Item } = await db.send(new GetCommand({ TableName: tableName(), Key: key, ConsistentRead: true }));
  return Item as T | undefined;
};

/** Throws 404 where there is no such resident. */
export const getSpend = async (store: string, identifier: Identifier): Promise<Spend> => {
  const uuid = await uuidOf(identifier);
  const item = await find<SpendItem>(spendKey(store, uuid));
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

/**
 * Records a purchase: the customer's spend and what they own, in one transaction with the purchase itself. False, and
 * nothing written, if a purchase of this id is recorded already.
 */
export const recordPurchase = async (
  store: string,
  { id, buyer, productId, price, at }: Purchase,
): Promise<boolean> => {
  const { uuid, username } = buyer;
  const purchaseKey = { pk: partition(store, 'PURCHASE'), sk: id };
  const ownedKey = { pk: partition(store, 'OWNED', uuid), sk: productId };
  for (let attempt = 1; ; attempt++) {
    const [recorded, owned, spend, customer] = await Promise.all([
      find(purchaseKey),
      find(ownedKey),
      find<SpendItem>(spendKey(store, uuid)),
      findCustomerItem(store, uuid) as Promise<CustomerItem | undefined>,
    ]);
    if (recorded) return false;
    const sum = (spend?.sum ?? 0) + price;
    const day = dayOf(Date.parse(at));
    // Days that no question can ask for any more are dropped; a day more is kept against clocks that differ.
    const oldest = dayOf(now() - (yearDays + 1) * dayMillis);
    const days = Object.fromEntries(Object.entries(spend?.days ?? {}).filter(([known]) => known >= oldest));
    if (day >= oldest) days[day] = (days[day] ?? 0) + price;
    const born = birth(store, username);
    const refusals = await transact([
      {
        Put: {
          TableName: tableName(),
          Item: { ...purchaseKey, uuid, productId, price, at },
          ConditionExpression: 'attribute_not_exists(pk)',
        },
      },
      {
        Put: {
          TableName: tableName(),
          Item: {
            ...spendKey(store, uuid),
            username: customer?.username ?? username,
            sum,
            totalOwned: (spend?.totalOwned ?? 0) + (owned ? 0 : 1),
            days,
          },
          // Every purchase adds to the sum, or (at no price) to what is owned, or changes neither.
          ConditionExpression: spend ? '#sum = :sum AND totalOwned = :owned' : 'attribute_not_exists(pk)',
          ...(spend && {
            ExpressionAttributeNames: { '#sum': 'sum' },
            ExpressionAttributeValues: { ':sum': spend.sum, ':owned': spend.totalOwned },
          }),
        },
      },
      {
        Update: {
          TableName: tableName(),
          Key: customerKey(store, uuid),
          UpdateExpression: `SET ${born.set}, #sum = :sum${sum > 0 ? ', #rank = :rank' : ''}`,
          ExpressionAttributeNames: { '#sum': 'sum', ...(sum > 0 && { '#rank': 'rank' }) },
          ExpressionAttributeValues: { ...born.values, ':sum': sum, ...(sum > 0 && { ':rank': rankOf(sum, uuid) }) },
        },
      },
      ...(owned
        ? []
        : [{ Put: { TableName: tableName(), Item: ownedKey, ConditionExpression: 'attribute_not_exists(pk)' } }]),
    ]);
    if (!refusals) return true;
    await pause(attempt);
  }
};
