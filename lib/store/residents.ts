import { now } from '../clock.ts';
import type { Identifier } from '../identifier.ts';
import { invalid } from '../problem.ts';
import { all, any, is, isNew, put, type Write } from '../table/language.ts';
import { pauseOvertaken } from '../table/retry.ts';
import { type Key, sharedKey } from '../table/schema.ts';
import { get, getMany, transact } from '../table/table.ts';

/** A resident of the virtual world, shared by all stores. `username` is the current name, in canonical form. */
export interface Resident {
  uuid: string;
  username: string;
}

/** A resident as stored: with every name that ever led to it, the current one included. */
export interface StoredResident extends Resident, Key {
  names: string[];
  /** Set while copies of the name in stores' items still have to be renamed. */
  renaming?: boolean;
}

export const residentKey = (uuid: string): Key => sharedKey('RESIDENT', uuid);

export const nameKey = (name: string): Key => sharedKey('NAME', name);

const cacheMillis = 5 * 60_000;
const cacheSize = 10_000;
const cache = new Map<string, { resident: Resident; until: number }>();

const remember = (key: string, resident: Resident): void => {
  // A Map keeps the order of insertion: the first is the oldest.
  const oldest = cache.size >= cacheSize ? cache.keys().next().value : undefined;
  if (oldest !== undefined) cache.delete(oldest);
  cache.set(key, { resident, until: now() + cacheMillis });
};

/** Forgets what was read, as a new process would. */
export const forgetResidents = (): void => cache.clear();

/**
 * The resident of that UUID or name, old names included; undefined if there is none. Answers may be some minutes old:
 * a name can only be given to another resident by an operator's import.
 */
export const findResident = async ({ uuid, username }: Identifier): Promise<Resident | undefined> => {
  const key = uuid === undefined ? nameKey(username) : residentKey(uuid);
  const known = cache.get(key.pk);
  if (known && now() < known.until) return known.resident;
  const item = await get<StoredResident>(key);
  if (!item) return undefined;
  const resident: Resident = { uuid: item.uuid, username: item.username };
  // Every name's item carries the UUID and the current name, so a look-up by name also answers a later one by UUID.
  remember(key.pk, resident);
  remember(residentKey(resident.uuid).pk, resident);
  return resident;
};

/** Reads residents consistently. The map's keys are the given UUIDs and names; unknown residents are left out. */
export const findResidents = async (identifiers: readonly Identifier[]): Promise<Map<string, Resident>> => {
  const keys = identifiers.map(({ uuid, username }) => (uuid === undefined ? nameKey(username) : residentKey(uuid)));
  const items = await getMany<Resident & Key>(keys, { consistent: true });
  return new Map(items.map(({ pk, uuid, username }) => [pk.slice(pk.indexOf('#') + 1), { uuid, username }]));
};

/** Residents with all their names, in the order of the UUIDs. */
export const getResidents = (uuids: readonly string[]): Promise<StoredResident[]> =>
  getMany(uuids.map(residentKey), { consistent: true });

/** The item of a name. It carries the current name, so that a look-up is one read. Refused unless it is `holder`'s or free. */
const nameItem = ({ uuid, username }: Resident, name: string, holder: string): Write =>
  put({ ...nameKey(name), uuid, username }, any(isNew, is('uuid', holder)));

/**
 * The writes of a resident with these names: first the resident, refused unless they are still as `stored`, then the
 * names in order. `takenFrom` is a resident who may lose the current name. `renaming` marks that copies must be renamed.
 */
export const residentItems = (
  { uuid, username }: Resident,
  names: readonly string[],
  stored: StoredResident | undefined,
  {
    takenFrom = uuid,
    renaming = stored?.renaming ?? false,
  }: { takenFrom?: string | undefined; renaming?: boolean } = {},
): Write[] => {
  const asStored = stored ? all(is('names', stored.names), is('username', stored.username)) : isNew;
  return [
    put({ ...residentKey(uuid), uuid, username, names, ...(renaming && { renaming }) }, asStored),
    ...names.map((name) => nameItem({ uuid, username }, name, name === username ? takenFrom : uuid)),
  ];
};

/**
 * Writes a resident with its current name and, if any, former ones, all in canonical form; names already on record stay.
 * Throws 400 if a name belongs to another resident.
 */
export const putResident = async ({ uuid, username }: Resident, formerNames: readonly string[] = []): Promise<void> => {
  const key = residentKey(uuid);
  for (let attempt = 1; ; attempt++) {
    const stored = await get<StoredResident>(key);
    const names = [...new Set([username, ...formerNames, ...(stored?.names ?? [])])];
    const refusals = await transact(residentItems({ uuid, username }, names, stored));
    const taken = names.filter((_, index) => refusals?.[index + 1]?.refused);
    if (taken.length > 0) throw invalid(...taken.map((name) => `The name ${name} belongs to another resident.`));
    for (const name of names) cache.delete(nameKey(name).pk);
    cache.delete(key.pk);
    if (!refusals) return;
    await pauseOvertaken(attempt);
  }
};
