import type { Identifier } from '../identifier.ts';
import { getMany } from '../table/query.ts';
import type { TransactItem } from '../table/retry.ts';
import { type CustomerItem, customerKey, touchCustomer, touching } from './customers.ts';
import { findResident, type Resident } from './residents.ts';

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

/** The writes that belong into the transaction with what is first written about them: nobody else is put into the list. */
export const welcoming = (store: string, { isCustomer, ...resident }: Visitor): TransactItem[] =>
  isCustomer ? [] : [{ Update: touching(store, resident) }];

/** Makes these residents customers of the store, as far as they are none yet. */
export const welcomeAll = async (store: string, residents: readonly Resident[]): Promise<void> => {
  const items = await getMany<CustomerItem>(residents.map(({ uuid }) => customerKey(store, uuid)));
  const known = new Set(items.map(({ sk }) => sk));
  const strangers = new Map(residents.filter(({ uuid }) => !known.has(uuid)).map((each) => [each.uuid, each]));
  for (const stranger of strangers.values()) await touchCustomer(store, stranger);
};
