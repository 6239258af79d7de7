import type { Identifier } from '../identifier.ts';
import type { Source } from '../lists/source.ts';
import { notFound } from '../problem.ts';
import type { Customer } from '../routes/customers.ts';
import { answer, type Decision, decide, writeAll, writeOne } from '../table/decide.ts';
import { customerKey, partition, spendKey } from '../table/keys.ts';
import {
  type AttributeChanges,
  all,
  any,
  applied,
  type Condition,
  check,
  exists,
  type Item,
  is,
  isNew,
  missing,
  type Update,
  unchanged,
  update,
  updated,
  type Write,
} from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { get, getMany, type Precondition, rowsOf } from '../table/table.ts';
import { findResident, type Resident } from './residents.ts';
import { spendListOf } from './spend-list.ts';

/** A customer's item; `sk` is the resident's UUID. Attributes that the store has never set are not there. */
export interface CustomerItem extends Partial<Omit<Customer, 'uuid'>>, Key {
  username: string;
  flags?: string;
  banReason?: string;
  /** See told.ts. */
  told?: string;
}

export const flagsOf = (store: string, subscribed: boolean): string =>
  partition(store, 'CUSTOMER', `news${Number(subscribed)}`);

/** A subscription, and the index attribute of a customer that follows it. */
export const subscribed = (store: string, newsSubscriber: boolean) => ({
  newsSubscriber,
  flags: flagsOf(store, newsSubscriber),
});

/** The write of a buyer's item of spend that puts it into the list of a subscription. */
export const spendMoves = (
  store: string,
  uuid: string,
  newsSubscriber: boolean,
  spend: { ranked?: string } | undefined,
): Write => {
  const key = spendKey(store, uuid);
  return spend ? update(key, { set: { ranked: spendListOf(store, newsSubscriber) }, when: exists }) : check(key, isNew);
};

/** A customer as the API answers them. */
export const readCustomer = ({ sk, username, ...item }: CustomerItem): Customer => ({
  uuid: sk,
  username,
  credit: item.credit ?? 0,
  restrictedCredit: item.restrictedCredit ?? 0,
  discount: item.discount ?? 0,
  newsSubscriber: item.newsSubscriber ?? false,
  isBanned: item.isBanned ?? false,
});

/** The attributes of a new customer. They put a resident into the store's list of customers. */
const newCustomer = (store: string, username: string) => ({
  username,
  flags: flagsOf(store, false),
});

/** Updates a customer's item, and makes the resident a customer if they are not one yet. */
export const customerUpsert = (store: string, { uuid, username }: Resident, change: AttributeChanges = {}): Update =>
  update(customerKey(store, uuid), { ...change, ifMissing: { ...newCustomer(store, username), ...change.ifMissing } });

/** A store's customers as stored, in the order of their UUIDs. */
export const listCustomerItems = (store: string): Source<CustomerItem> =>
  rowsOf({ partition: partition(store, 'CUSTOMER') });

export const findCustomerItem = (store: string, uuid: string): Promise<CustomerItem | undefined> =>
  get<CustomerItem>(customerKey(store, uuid));

/** The resident that a path names. Throws 404. */
export const getResident = async (store: string, identifier: Identifier): Promise<Resident> => {
  const resident = await findResident(store, identifier);
  if (!resident) throw notFound();
  return resident;
};

/** Looks a name up, and takes a UUID as it is. Throws 404 for an unknown name. */
export const demandUuid = async (store: string, identifier: Identifier): Promise<string> =>
  identifier.uuid ?? (await getResident(store, identifier)).uuid;

/** A customer's item, or an empty one for a resident who is not a customer yet. Throws 404. */
export const getCustomerItem = async (store: string, uuid: string): Promise<CustomerItem> => {
  const item = await findCustomerItem(store, uuid);
  if (item) return item;
  const { username } = await getResident(store, { uuid });
  return { ...customerKey(store, uuid), username };
};

/** Reads any resident as a customer; before the first write all values are zero. Throws 404 for an unknown resident. */
export const getCustomer = async (store: string, identifier: Identifier): Promise<Customer> =>
  readCustomer(await getCustomerItem(store, await demandUuid(store, identifier)));

interface UpdateOptions {
  /** A resident who is not a customer yet does not become one. */
  onlyCustomers?: boolean;
  ifMatch?: Precondition | undefined;
}

/**
 * Sets attributes of a customer; undefined removes an attribute. A resident who is not a customer yet becomes one,
 * unless `onlyCustomers`. Throws 404 for an unknown resident, and 412.
 */
const change = async (
  store: string,
  identifier: Identifier,
  set: Record<string, unknown>,
  { onlyCustomers = false, ifMatch }: UpdateOptions = {},
): Promise<Customer> => {
  const key = customerKey(store, await demandUuid(store, identifier));
  const enter = async () => {
    const { username } = await getResident(store, { uuid: key.sk });
    const untouched = { ...key, username };
    if (onlyCustomers) return answer(readCustomer(untouched));
    const upsert = update(key, { set, ifMissing: newCustomer(store, username), when: ifMatch && isNew });
    const answerOf = (item: CustomerItem | undefined) => readCustomer(item ?? untouched);
    // If it is refused, another request has made the resident a customer.
    return writeOne<CustomerItem, Customer>(upsert, { answer: answerOf, ifMatch });
  };
  return decide(() =>
    writeOne<CustomerItem, Customer>(update(key, { set, when: exists }), {
      answer: readCustomer,
      ifMatch,
      ifRefused: enter,
    }),
  );
};

const isSubscribed = (newsSubscriber: boolean): Condition =>
  newsSubscriber ? is('newsSubscriber', true) : any(missing('newsSubscriber'), is('newsSubscriber', false));

/**
 * Sets fields of a customer, including the subscription. If the subscription changes, the customer's item of spend
 * moves to another list in the same transaction.
 */
const subscribe = async (
  store: string,
  identifier: Identifier,
  { newsSubscriber, ...others }: { discount?: number; newsSubscriber: boolean },
  ifMatch: Precondition | undefined,
): Promise<Customer> => {
  const key = customerKey(store, await demandUuid(store, identifier));
  const set = { ...others, ...subscribed(store, newsSubscriber) };
  const change = async (found: CustomerItem | undefined): Promise<Decision<Customer>> => {
    const [spend, username] = await Promise.all([
      get<{ ranked?: string }>(spendKey(store, key.sk)),
      found?.username ?? getResident(store, { uuid: key.sk }).then((resident) => resident.username),
    ]);
    const current = readCustomer(found ?? { ...key, username });
    ifMatch?.(current);
    const asRead = unchanged(found, Object.keys(current));
    const upsert = updated(found ?? key, { set, ifMissing: newCustomer(store, username), when: asRead });
    const answered = readCustomer(applied(upsert, found as Item | undefined) as unknown as CustomerItem);
    return writeAll([upsert, spendMoves(store, key.sk, newsSubscriber, spend)], { answer: answered });
  };
  const same = update(key, { set, when: all(exists, isSubscribed(newsSubscriber)) });
  return decide(() => writeOne<CustomerItem, Customer>(same, { answer: readCustomer, ifMatch, ifRefused: change }));
};

/** Sets the given fields; the others stay. Throws 404, and 412. */
export const updateCustomer = async (
  store: string,
  identifier: Identifier,
  { discount, newsSubscriber }: { discount?: number | undefined; newsSubscriber?: boolean | undefined },
  ifMatch?: Precondition,
): Promise<Customer> => {
  if (discount === undefined && newsSubscriber === undefined) {
    const customer = await getCustomer(store, identifier);
    ifMatch?.(customer);
    return customer;
  }
  const set = discount === undefined ? {} : { discount };
  return newsSubscriber === undefined
    ? change(store, identifier, set, { ifMatch })
    : subscribe(store, identifier, { ...set, newsSubscriber }, ifMatch);
};

/** A ban without a reason leaves the reason of an earlier one. Throws 404. */
export const banCustomer = (store: string, identifier: Identifier, reason: string | undefined): Promise<Customer> =>
  change(store, identifier, { isBanned: true, ...(reason !== undefined && { banReason: reason }) });

/** Writes nothing about a resident who is not a customer. Throws 404. */
export const unbanCustomer = (store: string, identifier: Identifier): Promise<Customer> =>
  change(store, identifier, { isBanned: false, banReason: undefined }, { onlyCustomers: true });

/** A resident about whom a store is about to write. */
export interface StoreResident extends Resident {
  /** True if the store's list of customers has them. */
  isCustomer: boolean;
}

/** Finds a resident, and whether they are a customer. With a UUID the two reads run at the same time. */
export const findStoreResident = async (store: string, identifier: Identifier): Promise<StoreResident | undefined> => {
  const found = findResident(store, identifier);
  const uuid = identifier.uuid ?? (await found)?.uuid;
  if (uuid === undefined) return undefined;
  const [resident, rows] = await Promise.all([found, getMany([customerKey(store, uuid)])]);
  return resident && { ...resident, isCustomer: rows.length > 0 };
};

/** The writes that make a resident a customer, for the transaction of the first write about them. */
export const newCustomerWrites = (store: string, { isCustomer, ...resident }: StoreResident): Write[] =>
  isCustomer ? [] : [customerUpsert(store, resident)];
