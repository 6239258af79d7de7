import pMap from 'p-map';
import { findCustomerItem } from '../../avatars/customers.ts';
import { forgetResidents, type Resident, type StoredResident } from '../../avatars/residents.ts';
import { followRename, renameMark } from '../../store/renames.ts';
import { listStores } from '../../store/stores.ts';
import { toldWrites } from '../../store/tell-resident.ts';
import { nameKey, residentKey, storeNameKey, storeOf, storeResidentKey } from '../../table/keys.ts';
import { exists, is, update, type Write } from '../../table/language.ts';
import type { Key } from '../../table/schema.ts';
import { get, getMany } from '../../table/table.ts';
import { residentItems } from '../residents.ts';
import { type Fault, type Group, type Importer, type Row, type Setting, sideBySide } from './rows.ts';

export interface ResidentFields extends Resident {
  formerNames?: string[];
  /** Who told this resident: the operator, for all stores, or the store of the import. */
  source?: 'operator' | 'store';
}

/** The stored residents and names that the rows refer to. */
interface KnownResidents {
  residents: Map<string, StoredResident>;
  /** The UUID of the resident to whom a name leads. */
  holders: Map<string, string>;
  /** The residents that stores were told of by someone other than the operator, by UUID or name. */
  told: Map<string, Key[]>;
}

/** The names in a row. A resident without a name is called by their UUID. */
const namesClaimed = ({ uuid, username, formerNames = [] }: ResidentFields): string[] =>
  [...new Set([username, ...formerNames])].filter((name) => name !== uuid);

/** Finds what stores were told about these UUIDs and names. */
const readToldKeys = async (uuids: readonly string[], names: readonly string[]): Promise<KnownResidents['told']> => {
  const told: KnownResidents['told'] = new Map();
  for (const { id } of await listStores()) {
    const keys = [...uuids.map((uuid) => storeResidentKey(id, uuid)), ...names.map((name) => storeNameKey(id, name))];
    for (const { sk, uuid } of await getMany<Key & { uuid: string }>(keys, { consistent: true }))
      told.set(sk, [...(told.get(sk) ?? []), storeResidentKey(id, uuid)]);
  }
  return told;
};

const readKnownResidents = async (rows: Row<ResidentFields>[]): Promise<KnownResidents> => {
  const uuids = rows.map(({ fields }) => fields.uuid);
  const names = rows.flatMap(({ fields }) => namesClaimed(fields));
  const [residents, holders, told] = await Promise.all([
    getMany<StoredResident>(uuids.map(residentKey), { consistent: true }),
    getMany<Resident & Key>(names.map(nameKey), { consistent: true }),
    readToldKeys(uuids, names),
  ]);
  const known = new Map(residents.map((resident) => [resident.uuid, resident]));
  const strangers = holders.map(({ uuid }) => uuid).filter((uuid) => !known.has(uuid));
  for (const stranger of await getMany<StoredResident>(strangers.map(residentKey), { consistent: true }))
    known.set(stranger.uuid, stranger);
  return {
    residents: known,
    holders: new Map(holders.map(({ pk, uuid }) => [pk.slice(pk.indexOf('#') + 1), uuid])),
    told,
  };
};

/** True until the copies of a changed name have been renamed once. */
const isToFollow = ({ renamedAt, due }: StoredResident): boolean => renamedAt !== undefined && due === renamedAt;

/** Takes a name from a resident. The table refuses the write if their names have changed since they were read. */
const takeName = ({ uuid, names }: StoredResident, name: string): Write =>
  update(residentKey(uuid), { set: { names: names.filter((other) => other !== name) }, when: is('names', names) });

/** A resident that only the import's store is told of. A name that belongs to somebody else stays theirs. */
const toldGroup = async (row: Row<ResidentFields>, store: string): Promise<Group<ResidentFields>> => {
  const { uuid } = row.fields;
  const [shared, told] = [
    await get<StoredResident>(residentKey(uuid)),
    await get<StoredResident>(storeResidentKey(store, uuid)),
  ];
  const claims = namesClaimed(row.fields);
  const holders = await getMany<Key & { uuid: string }>(
    claims.flatMap((name) => [nameKey(name), storeNameKey(store, name)]),
    { consistent: true },
  );
  const isFree = (name: string): boolean =>
    holders.every(({ pk, sk, uuid: holder }) => holder === uuid || (sk !== name && pk !== nameKey(name).pk));
  // A customer without a known name stays unknown, so that the dispenser is still asked for the name.
  const isStranger = !shared && !told && claims.length === 0 && (await findCustomerItem(store, uuid)) !== undefined;
  const writes = shared || isStranger ? [] : toldWrites(store, uuid, claims.filter(isFree), told);
  if (writes.length === 0) return { rows: [row], outcome: 'unchanged' };
  return { rows: [row], outcome: told ? 'changed' : 'created', writes };
};

/** A name that moves to another avatar in one store, for the log. `key` is the item of the avatar who loses it. */
const movedIn = (name: string, key: Key) => ({ name, from: key.sk, store: storeOf(key) });

/** The fault of a former name that leads to another resident. */
const formerNameFault = (claims: readonly string[], uuid: string, { holders }: KnownResidents): Fault | undefined => {
  const former = claims.slice(1).find((name) => (holders.get(name) ?? uuid) !== uuid);
  if (former === undefined) return undefined;
  const message = `must be this resident's own: the name leads to the resident ${holders.get(former)}`;
  return { field: 'formerNames', value: former, message };
};

/** A row needs another row that gives the present holder of its name a new one. Either may come first in the file. */
const neededRename = ({ uuid, username }: StoredResident): NonNullable<Group<ResidentFields>['needs']> => {
  const message = `belongs to the resident ${uuid}: give that resident's new name in the same file`;
  return { key: uuid, fault: { field: 'username', value: username, message } };
};

/** The writes for a resident that the operator names. `taken` is the resident who has had that name so far. */
const residentWrites = (
  { uuid, username }: Resident,
  claims: readonly string[],
  taken: StoredResident | undefined,
  { residents, holders, told }: KnownResidents,
  log: Setting['log'],
): Write[] => {
  const stored = residents.get(uuid);
  const othersTold = (name: string): Key[] => (told.get(name) ?? []).filter(({ sk }) => sk !== uuid);
  const names = [...new Set([...claims, ...(stored?.names ?? [])])];
  const moved = [
    ...(taken ? [{ name: username, from: taken.uuid }] : []),
    // A name that the operator had told before led to nobody else in any store.
    ...claims.flatMap((name) => (holders.has(name) ? [] : othersTold(name).map((key) => movedIn(name, key)))),
  ];
  const isChanged = username !== stored?.username || claims.some((name) => !stored?.names.includes(name));
  // A store that was told another name has copies of it, and the search for customers there knows it.
  const isRenamed = (stored !== undefined && isChanged) || told.has(uuid) || moved.length > 0;
  return [
    ...residentItems({ uuid, username }, names, stored, { takenFrom: taken?.uuid, isRenamed }),
    ...(taken ? [takeName(taken, username)] : []),
    // In these stores the names belonged to another avatar.
    ...new Map(claims.flatMap(othersTold).map((key) => [`${key.pk} ${key.sk}`, key] as const))
      .values()
      .map((key) => update(key, { set: renameMark(), when: exists })),
    ...(moved.length > 0 ? (log?.('resident.name_moved', null, { to: uuid, moved }) ?? []) : []),
  ];
};

/** The most writes that a transaction takes. */
const maxWrites = 100;

/** All names of a resident are written at once, since each item holds the current name. */
const tooManyNames = ({ username }: ResidentFields, stored: StoredResident | undefined): Fault => {
  const message = `is too much to write at once: the resident has ${stored?.names.length ?? 0} names already`;
  return { field: 'username', value: username, message };
};

const residentGroup = (row: Row<ResidentFields>, known: KnownResidents, log: Setting['log']): Group<ResidentFields> => {
  const { uuid, username } = row.fields;
  const { residents, holders } = known;
  const stored = residents.get(uuid);
  const claims = namesClaimed(row.fields);
  const fault = formerNameFault(claims, uuid, known);
  if (fault) return { rows: [row], outcome: fault };
  const holder = residents.get(holders.get(username) ?? '');
  const taken = holder && holder.uuid !== uuid ? holder : undefined;
  // A name of this resident that leads nowhere is written again. A table that was restored with half a transaction may
  // have one.
  const isNoted = (name: string): boolean => stored?.names.includes(name) === true && holders.get(name) === uuid;
  if (stored?.username === username && !taken && claims.every(isNoted))
    return { rows: [row], outcome: isToFollow(stored) ? 'changed' : 'unchanged' };
  const writes = residentWrites(row.fields, claims, taken, known, log);
  if (writes.length > maxWrites) return { rows: [row], outcome: tooManyNames(row.fields, stored) };
  return {
    rows: [row],
    outcome: stored ? 'changed' : 'created',
    ...(taken?.username === username && { needs: neededRename(taken) }),
    writes,
  };
};

/** Residents, whom all stores share. A rename also changes the copies of the name in every store. */
export const residentImporter: Importer<ResidentFields> = {
  plan: async (rows, { store, log }) => {
    const known = await readKnownResidents(rows.filter(({ fields }) => fields.source !== 'store'));
    const plan = (row: Row<ResidentFields>) =>
      row.fields.source === 'store' ? toldGroup(row, store) : residentGroup(row, known, log);
    return pMap(rows, plan, sideBySide);
  },
  finish: async (groups) => {
    const written = groups.filter(({ outcome }) => outcome === 'changed' || outcome === 'created');
    if (written.length === 0) return;
    forgetResidents();
    const keys = written.flatMap(({ rows }) => rows.map(({ fields }) => residentKey(fields.uuid)));
    // The transaction of the rename sets the mark. The mark stays until all copies are renamed, so a crash leaves none
    // out.
    const marked = (await getMany<StoredResident>(keys, { consistent: true })).filter(isToFollow);
    await pMap(marked, followRename, sideBySide);
  },
};
