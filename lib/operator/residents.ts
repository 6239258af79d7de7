import pMap from 'p-map';
import { findCustomerItem } from '../avatars/customers.ts';
import {
  asTold,
  forgetResidents,
  type KnownResident,
  type RenameMark,
  type Resident,
  readResident,
  type StoredResident,
} from '../avatars/residents.ts';
import type { Identifier } from '../identifier.ts';
import { invalid } from '../problem.ts';
import { followRename, renameMark } from '../store/renames.ts';
import { type Decision, decide, writeAll } from '../table/decide.ts';
import { nameKey, residentKey, storeResidentKey } from '../table/keys.ts';
import { all, any, exists, is, isNew, put, update, type Write } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { get, getMany, write } from '../table/table.ts';

/** The operator's residents, whom all stores share, and reads of many residents at once. */

/**
 * The item of a name. It holds the current name, so that a look-up is one read. Refused if another than `holder` has
 * it.
 */
const nameItem = ({ uuid, username }: Resident, name: string, holder: string): Write =>
  put({ ...nameKey(name), uuid, username }, any(isNew, is('uuid', holder)));

/** The mark of a rename that a resident already has. */
const renameMarkOf = ({ renamedAt, dues, due }: RenameMark): RenameMark => ({
  ...(renamedAt !== undefined && { renamedAt, dues, due }),
});

/**
 * The writes of a resident with these names: first the resident, refused if they differ from `stored`, then the names
 * in order. `takenFrom` is a resident who may lose the current name. `isRenamed` marks that copies of the name must be
 * renamed.
 */
export const residentItems = (
  { uuid, username }: Resident,
  names: readonly string[],
  stored: StoredResident | undefined,
  { takenFrom = uuid, isRenamed = false }: { takenFrom?: string | undefined; isRenamed?: boolean } = {},
): Write[] => {
  const asStored = stored ? all(is('names', stored.names), is('username', stored.username)) : isNew;
  const mark = isRenamed ? renameMark() : renameMarkOf(stored ?? {});
  return [
    put({ ...residentKey(uuid), uuid, username, names, ...mark }, asStored),
    ...names.map((name) => nameItem({ uuid, username }, name, name === username ? takenFrom : uuid)),
  ];
};

/**
 * Writes a resident with the current name and any former names, all in canonical form. Names already on record stay.
 * Throws 400 if a name belongs to another resident.
 */
export const putResident = async ({ uuid, username }: Resident, formerNames: readonly string[] = []): Promise<void> => {
  const step = async (): Promise<Decision<void>> => {
    const stored = await get<StoredResident>(residentKey(uuid));
    const names = [...new Set([username, ...formerNames, ...(stored?.names ?? [])])];
    return writeAll(residentItems({ uuid, username }, names, stored, { isRenamed: stored !== undefined }), {
      result: undefined,
      ifRefused: ({ by }) => {
        const taken = names.filter((name) => by(nameKey(name)));
        if (taken.length > 0) throw invalid(...taken.map((name) => `The name ${name} belongs to another resident.`));
        return undefined;
      },
    });
  };
  try {
    await decide(step);
  } finally {
    forgetResidents();
  }
};

/** Renames the copies of a resident's name again, also copies that an earlier rename missed. */
export const renameAgain = async (uuid: string): Promise<void> => {
  await write(update(residentKey(uuid), { set: { ...renameMark() }, when: exists }));
  await followRename(residentKey(uuid));
};

const uuidOrName = ({ uuid, username }: Identifier): string => uuid ?? username;

/**
 * Reads residents as a store knows them, consistently. The map's keys are the given UUIDs and names. Unknown residents
 * are left out, except customers of the store.
 */
export const findResidents = async (
  store: string,
  identifiers: readonly Identifier[],
): Promise<Map<string, Resident>> => {
  const keys = identifiers.map(({ uuid, username }) => (uuid === undefined ? nameKey(username) : residentKey(uuid)));
  const items = await getMany<Resident & Key>(keys, { consistent: true });
  const found = new Map(items.map(({ pk, uuid, username }) => [pk.slice(pk.indexOf('#') + 1), { uuid, username }]));
  const others = new Map(
    identifiers.map((one) => [uuidOrName(one), one] as const).filter(([text]) => !found.has(text)),
  );
  const readOne = async ([text, identifier]: [string, Identifier]): Promise<void> => {
    // A customer without a known name is called by their UUID.
    const { uuid = '' } = identifier;
    const customer = async () =>
      (uuid === '' ? undefined : await findCustomerItem(store, uuid)) && { uuid, username: uuid };
    const resident = (await readResident(store, identifier)) ?? (await customer());
    if (resident) found.set(text, { uuid: resident.uuid, username: resident.username });
  };
  await pMap(others, readOne, { concurrency: 10 });
  return found;
};

/** Residents as a store knows them, with all their names, ordered by UUID. */
export const knownResidents = async (store: string, uuids: readonly string[]): Promise<KnownResident[]> => {
  const shared = await getMany<StoredResident>(uuids.map(residentKey), { consistent: true });
  const known = new Map<string, KnownResident>(
    shared.map(({ uuid, username, names }) => [uuid, { uuid, username, names, source: 'operator' }]),
  );
  const others = uuids.filter((uuid) => !known.has(uuid)).map((uuid) => storeResidentKey(store, uuid));
  const told = await getMany<StoredResident>(others, { consistent: true });
  for (const resident of await pMap(told, asTold, { concurrency: 10 })) known.set(resident.uuid, resident);
  return uuids.flatMap((uuid) => known.get(uuid) ?? []);
};

const namesAtOnce = 500;

/** The usernames of any number of residents, by UUID. Unknown residents are left out. */
export const readUsernames = async (store: string, uuids: readonly string[]): Promise<Map<string, string>> => {
  const names = new Map<string, string>();
  for (let i = 0; i < uuids.length; i += namesAtOnce)
    for (const { uuid, username } of await knownResidents(store, uuids.slice(i, i + namesAtOnce)))
      names.set(uuid, username);
  return names;
};
