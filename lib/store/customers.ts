import type { Identifier } from '../identifier.ts';
import type { Source } from '../lists/source.ts';
import { notFound } from '../problem.ts';
import { type Change, exists, update, type Write } from '../table/language.ts';
import { type Key, partition } from '../table/schema.ts';
import { get, getMany, rowsOf, upsert, write } from '../table/table.ts';
import { findResident, type Resident } from './residents.ts';

/** A resident as one store sees them. */
export interface Customer {
  uuid: string;
  username: string;
  credit: number;
  restrictedCredit: number;
  discount: number;
  newsSubscriber: boolean;
  isBanned: boolean;
}

/** A customer's item; `sk` is the resident's UUID. Attributes that the store has never set are not there. */
export interface CustomerItem extends Partial<Omit<Customer, 'uuid'>>, Key {
  username: string;
  flags?: string;
  /** Lifetime spend. */
  sum?: number;
  banReason?: string;
}

export const customerKey = (store: string, uuid: string): Key => ({ pk: partition(store, 'CUSTOMER'), sk: uuid });

export const flagsOf = (store: string, subscribed: boolean): string =>
  partition(store, 'CUSTOMER', `news${Number(subscribed)}`);
export const rankedOf = (store: string, subscribed: boolean): string =>
  partition(store, 'CUSTOMER', `spend${Number(subscribed)}`);

/** A customer's place by spend: sums of one length, then the UUID. */
export const rankOf = (sum: number, uuid: string): string => `${String(sum).padStart(16, '0')}#${uuid}`;

/** The index attributes of a customer, which follow the subscription. */
export const subscribed = (store: string, newsSubscriber: boolean) => ({
  newsSubscriber,
  flags: flagsOf(store, newsSubscriber),
  ranked: rankedOf(store, newsSubscriber),
});

/** A customer as the contract answers them. */
export const readCustomer = ({ sk, username, ...item }: CustomerItem): Customer => ({
  uuid: sk,
  username,
  credit: item.credit ?? 0,
  restrictedCredit: item.restrictedCredit ?? 0,
  discount: item.discount ?? 0,
  newsSubscriber: item.newsSubscriber ?? false,
  isBanned: item.isBanned ?? false,
});

/** The attributes by which a resident becomes a customer of the store: from then on they are in the store's list. */
const birth = (store: string, username: string) => ({
  username,
  flags: flagsOf(store, false),
  ranked: rankedOf(store, false),
});

/** The update of a customer's item that also makes the resident a customer, if they are none yet. */
export const touching = (store: string, { uuid, username }: Resident, change: Change = {}): Write =>
  update(customerKey(store, uuid), { ...change, ifMissing: { ...birth(store, username), ...change.ifMissing } });

/** A store's customers as stored, in the order of their UUIDs. */
export const listCustomerItems = (store: string): Source<CustomerItem> =>
  rowsOf({ partition: partition(store, 'CUSTOMER') });

export const findCustomerItem = (store: string, uuid: string): Promise<CustomerItem | undefined> =>
  get<CustomerItem>(customerKey(store, uuid));

/** The resident that a path names. Throws 404. */
export const getResident = async (identifier: Identifier): Promise<Resident> => {
  const resident = await findResident(identifier);
  if (!resident) throw notFound();
  return resident;
};

/** The UUID that an identifier means: a UUID is taken as it is, a name is looked up. Throws 404 for an unknown name. */
export const uuidOf = async (identifier: Identifier): Promise<string> =>
  identifier.uuid ?? (await getResident(identifier)).uuid;

/** A customer's item, or the one that a resident has whom the store has never touched. Throws 404. */
export const getCustomerItem = async (store: string, uuid: string): Promise<CustomerItem> => {
  const item = await findCustomerItem(store, uuid);
  if (item) return item;
  const { username } = await getResident({ uuid });
  return { ...customerKey(store, uuid), username };
};

/** A resident whom the store has never touched is a customer with zeros. Throws 404 where there is no such resident. */
export const getCustomer = async (store: string, identifier: Identifier): Promise<Customer> =>
  readCustomer(await getCustomerItem(store, await uuidOf(identifier)));

/** Sets (or, where the value is undefined, removes) attributes of a customer. Throws 404 for no such resident. */
const change = async (store: string, identifier: Identifier, set: Record<string, unknown>): Promise<Customer> => {
  const uuid = await uuidOf(identifier);
  const how = { answer: readCustomer };
  const outcome = await write(update(customerKey(store, uuid), { set, when: exists }), how);
  if (outcome.done) return outcome.result;
  const { username } = await getResident({ uuid });
  return upsert(customerKey(store, uuid), { set, ifMissing: birth(store, username) }, how);
};

/** Sets the given fields; the others stay. Throws 404. */
export const updateCustomer = async (
  store: string,
  identifier: Identifier,
  { discount, newsSubscriber }: { discount?: number | undefined; newsSubscriber?: boolean | undefined },
): Promise<Customer> => {
  if (discount === undefined && newsSubscriber === undefined) return getCustomer(store, identifier);
  return change(store, identifier, {
    ...(discount !== undefined && { discount }),
    ...(newsSubscriber !== undefined && subscribed(store, newsSubscriber)),
  });
};

/** A ban without a reason leaves the reason of an earlier one. Throws 404. */
export const banCustomer = (store: string, identifier: Identifier, reason: string | undefined): Promise<Customer> =>
  change(store, identifier, { isBanned: true, ...(reason !== undefined && { banReason: reason }) });

/** Throws 404. */
export const unbanCustomer = (store: string, identifier: Identifier): Promise<Customer> =>
  change(store, identifier, { isBanned: false, banReason: undefined });

/** A resident about whom a store is to write something. */
export interface Visitor extends Resident {
  /** Whether the store has them in its list of customers. */
  isCustomer: boolean;
}

/** The resident of that identifier and whether the store knows them: side by side where the identifier is a UUID. */
export const findVisitor = async (store: string, identifier: Identifier): Promise<Visitor | undefined> => {
  const found = findResident(identifier);
  const uuid = identifier.uuid ?? (await found)?.uuid;
  if (uuid === undefined) return undefined;
  const [resident, rows] = await Promise.all([found, getMany([customerKey(store, uuid)])]);
  return resident && { ...resident, isCustomer: rows.length > 0 };
};

/** The writes that belong into the transaction with the first write about a visitor: a customer needs none. */
export const welcoming = (store: string, { isCustomer, ...resident }: Visitor): Write[] =>
  isCustomer ? [] : [touching(store, resident)];
