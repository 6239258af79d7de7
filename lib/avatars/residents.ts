import { now } from '../clock.ts';
import type { Identifier } from '../identifier.ts';
import { invalid } from '../problem.ts';
import { perProcess } from '../process.ts';
import { nameKey, partition, residentKey, storeNameKey, storeResidentKey } from '../table/keys.ts';
import { requestMeter } from '../table/meter.ts';
import type { Key } from '../table/schema.ts';
import { get, getMany } from '../table/table.ts';
import { forgetNobody, lookUp } from './resident-lookup.ts';

/** A resident of the virtual world. `username` is the current name, in canonical form. */
export interface Resident {
  uuid: string;
  username: string;
}

/** A mark that copies of the name in stores' items may be wrong: see renames.ts. */
export interface RenameMark {
  renamedAt?: string | undefined;
  /** The place in the index `byDue`. */
  dues?: string | undefined;
  due?: string | undefined;
}

/** A resident as stored, with every name that leads to them, the current one included. */
export interface StoredResident extends Resident, RenameMark, Key {
  names: string[];
  /** It is the pseudonym of an erased avatar. */
  isPseudonym?: true;
}

/** A resident as one store knows them. The operator's word wins over the store's own. */
export interface KnownResident extends Resident {
  /** All names that lead to them in this store, the current one first. Empty if every told name is another's. */
  names: string[];
  source: 'operator' | 'store';
}

/** The longest that a process remembers a resident. */
export const cacheMillis = 5 * 60_000;
const cacheSize = 10_000;
const cache = perProcess(() => new Map<string, { resident: Resident; until: number }>());

const remember = (key: string, resident: Resident): void => {
  const residents = cache();
  // A Map keeps the order of insertion: the first is the oldest.
  const oldest = residents.size >= cacheSize ? residents.keys().next().value : undefined;
  if (oldest !== undefined) residents.delete(oldest);
  residents.set(key, { resident, until: now() + cacheMillis });
};

const recall = (key: string): Resident | undefined => {
  const kept = cache().get(key);
  return kept && now() < kept.until ? kept.resident : undefined;
};

/** Forgets what was read, as a new process would. */
export const forgetResidents = (): void => {
  cache().clear();
  forgetNobody();
};

const ownKey = (store: string, { uuid, username }: Identifier): string => `${store} ${uuid ?? username}`;

/**
 * A resident as the store was told of them. If the operator knows a name as another's, it does not lead to them.
 * Without any other name they are called by their UUID.
 */
export const asTold = async ({ uuid, username, names }: StoredResident): Promise<KnownResident> => {
  const ordered = [...new Set([username, ...names])].filter((name) => name !== uuid);
  const taken = await getMany<Key>(ordered.map(nameKey), { consistent: true });
  const lost = new Set(taken.map(({ pk }) => pk));
  const own = ordered.filter((name) => !lost.has(nameKey(name).pk));
  return { uuid, username: own[0] ?? uuid, names: own, source: 'store' };
};

/** A customer whose UUID came with a sale, and whose name nobody has told yet: they are called by their UUID. */
const byCustomer = async (store: string, { uuid }: Identifier): Promise<Resident | undefined> => {
  const customer =
    uuid === undefined ? undefined : await get<Resident & Key>({ pk: partition(store, 'CUSTOMER'), sk: uuid });
  return customer && { uuid: customer.sk, username: customer.username };
};

/** The store's own knowledge of a resident whose UUID or name the operator has not told. */
const byStore = async (store: string, { uuid, username }: Identifier): Promise<Resident | undefined> => {
  if (uuid !== undefined) {
    const told = await get<StoredResident>(storeResidentKey(store, uuid));
    return told && asTold(told);
  }
  const holder = await get<{ uuid: string }>(storeNameKey(store, username));
  if (!holder) return undefined;
  const keys = [residentKey(holder.uuid), storeResidentKey(store, holder.uuid)];
  const [first] = await getMany<StoredResident>(keys, { consistent: true });
  return first?.pk === residentKey(holder.uuid).pk ? first : first && asTold(first);
};

const operatorsKey = ({ uuid, username }: Identifier): Key =>
  uuid === undefined ? nameKey(username) : residentKey(uuid);

/** The resident as the table has them now; undefined if neither the operator nor the store was told of them. */
export const readResident = async (store: string, identifier: Identifier): Promise<Resident | undefined> =>
  (await get<Resident>(operatorsKey(identifier))) ?? (await byStore(store, identifier));

/**
 * The resident with this UUID or name, as the store knows them; old names count too. Undefined if there is none. If
 * neither the operator nor the store knows them, it asks the store's dispenser (docs/adr/0024-residents.md). A request
 * that only reads may get an answer some minutes old. A request that writes reads a name again, which may belong to
 * another resident now. It also reads again what the store was told, since the operator's word wins at once.
 */
export const findResident = async (store: string, identifier: Identifier): Promise<Resident | undefined> => {
  const isRead = requestMeter()?.isRead ?? false;
  const { pk } = operatorsKey(identifier);
  const own = ownKey(store, identifier);
  const isRemembered = isRead || identifier.uuid !== undefined;
  const known = (isRemembered ? recall(pk) : undefined) ?? (isRead ? recall(own) : undefined);
  if (known) return known;
  const shared = await get<Resident>(operatorsKey(identifier));
  const found = shared ?? (await byStore(store, identifier)) ?? (await lookUp(store, identifier));
  if (!found) return byCustomer(store, identifier);
  const resident = { uuid: found.uuid, username: found.username };
  // Every name's item carries the UUID and the current name, so a look-up by name also answers a later one by UUID.
  remember(shared ? pk : own, resident);
  remember(shared ? residentKey(found.uuid).pk : ownKey(store, { uuid: found.uuid }), resident);
  return resident;
};

/** The UUID that an identifier names: a UUID itself, even if nobody knows it. Undefined for a name that nobody has. */
export const findUuid = async (store: string, identifier: Identifier): Promise<string | undefined> =>
  identifier.uuid ?? (await findResident(store, identifier))?.uuid;

/** Throws 400 with every field that names nobody. */
export const refuseUnknown = (named: Record<string, object | string | undefined>): void => {
  const unknown = Object.keys(named).filter((name) => named[name] === undefined);
  if (unknown.length > 0) throw invalid(...unknown.map((name) => `${name} names a resident who does not exist.`));
};
