import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Identifier } from '../identifier.ts';
import type { Source } from '../lists/page.ts';
import { notFound } from '../problem.ts';
import { rowsOf } from '../table/query.ts';
import { pastConflicts } from '../table/retry.ts';
import { db, findItem, partition, tableName } from '../table/table.ts';
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

/** A customer's item. What the store has never set is not there. */
export interface CustomerItem extends Partial<Omit<Customer, 'uuid'>> {
  pk: string;
  /** The resident's UUID. */
  sk: string;
  username: string;
  flags?: string;
  /** Lifetime spend. */
  sum?: number;
  banReason?: string;
}

export const customerKey = (store: string, uuid: string) => ({ pk: partition(store, 'CUSTOMER'), sk: uuid });

export const flagsOf = (store: string, subscribed: boolean): string =>
  partition(store, 'CUSTOMER', `news${Number(subscribed)}`);
export const rankedOf = (store: string, subscribed: boolean): string =>
  partition(store, 'CUSTOMER', `spend${Number(subscribed)}`);

/** A customer's place by spend: sums of one length, then the UUID. */
export const rankOf = (sum: number, uuid: string): string => `${String(sum).padStart(16, '0')}#${uuid}`;

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

/** The parts of an update that make the item of a resident who may not be a customer yet. */
export const birth = (store: string, username: string) => {
  const values = { username, flags: flagsOf(store, false), ranked: rankedOf(store, false) };
  const parts = Object.keys(values).map((name) => ({ name, set: `${name} = if_not_exists(${name}, :${name})` }));
  return {
    /** By attribute, for an update that sets some of them itself. */
    parts,
    set: parts.map(({ set }) => set).join(', '),
    values: Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value])),
  };
};

/**
 * The write that makes a resident a customer of the store, if they are none yet: from then on they are in the store's
 * list. It belongs to whatever first writes something about them. It changes nothing about a customer who is there.
 */
export const touching = (store: string, { uuid, username }: Resident) => {
  const { set, values } = birth(store, username);
  return {
    TableName: tableName(),
    Key: customerKey(store, uuid),
    UpdateExpression: `SET ${set}`,
    ExpressionAttributeValues: values,
  };
};

/** The same by itself. */
export const touchCustomer = async (store: string, resident: Resident): Promise<void> => {
  await pastConflicts(() => db.send(new UpdateCommand(touching(store, resident))));
};

/** A store's customers as stored, in the order of their UUIDs. */
export const listCustomerItems = (store: string): Source<CustomerItem> =>
  rowsOf({ partition: partition(store, 'CUSTOMER') });

/** The index attributes of a customer, which follow the subscription. */
export const subscribed = (store: string, newsSubscriber: boolean) => ({
  newsSubscriber,
  flags: flagsOf(store, newsSubscriber),
  ranked: rankedOf(store, newsSubscriber),
});

export const findCustomerItem = async (store: string, uuid: string): Promise<CustomerItem | undefined> => {
  return findItem<CustomerItem>(customerKey(store, uuid));
};

/** The resident that a path names. Throws 404. */
export const getResident = async (identifier: Identifier): Promise<Resident> => {
  const resident = await findResident(identifier);
  if (!resident) throw notFound();
  return resident;
};

/** Whom an identifier means: a UUID is taken as it is, a name is looked up. Throws 404 for an unknown name. */
export const uuidOf = async (identifier: Identifier): Promise<string> =>
  identifier.uuid ?? (await getResident(identifier)).uuid;

/** A customer's item, or what it is taken to be for a resident whom the store has never touched. Throws 404. */
export const getCustomerItem = async (store: string, uuid: string): Promise<CustomerItem> => {
  const item = await findCustomerItem(store, uuid);
  if (item) return item;
  const { username } = await getResident({ uuid });
  return { ...customerKey(store, uuid), username };
};

/** A resident whom the store has never touched is a customer with zeros. Throws 404 where there is no such resident. */
export const getCustomer = async (store: string, identifier: Identifier): Promise<Customer> =>
  readCustomer(await getCustomerItem(store, await uuidOf(identifier)));
