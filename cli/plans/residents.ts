import pMap from 'p-map';
import {
  forgetResidents,
  nameKey,
  type Resident,
  residentItems,
  residentKey,
  type StoredResident,
} from '../../lib/store/residents.ts';
import { is, update, type Write } from '../../lib/table/language.ts';
import { getMany, upsert } from '../../lib/table/table.ts';
import { listStores } from '../stores.ts';
import { renameEverywhere } from './rename.ts';
import { type Group, type Importer, type Row, sideBySide } from './rows.ts';

export interface ResidentFields extends Resident {
  formerNames?: string[];
}

/** The stored residents and names to which the rows refer. */
interface Known {
  residents: Map<string, StoredResident>;
  /** The UUID of the resident to whom a name leads. */
  holders: Map<string, string>;
}

const claimsOf = ({ username, formerNames = [] }: ResidentFields): string[] => [...new Set([username, ...formerNames])];

const readKnown = async (rows: Row<ResidentFields>[]): Promise<Known> => {
  const uuids = rows.map(({ fields }) => fields.uuid);
  const names = rows.flatMap(({ fields }) => claimsOf(fields));
  const [residents, holders] = await Promise.all([
    getMany<StoredResident>(uuids.map(residentKey), { consistent: true }),
    getMany<Resident & { pk: string; sk: string }>(names.map(nameKey), { consistent: true }),
  ]);
  const known = new Map(residents.map((resident) => [resident.uuid, resident]));
  const strangers = holders.map(({ uuid }) => uuid).filter((uuid) => !known.has(uuid));
  for (const stranger of await getMany<StoredResident>(strangers.map(residentKey), { consistent: true }))
    known.set(stranger.uuid, stranger);
  return {
    residents: known,
    holders: new Map(holders.map(({ pk, uuid }) => [pk.slice(pk.indexOf('#') + 1), uuid])),
  };
};

/** Takes a name from a resident. The table refuses the write if their names have changed since they were read. */
const takeName = ({ uuid, names }: StoredResident, name: string): Write =>
  update(residentKey(uuid), { set: { names: names.filter((other) => other !== name) }, when: is('names', names) });

const groupOf = (row: Row<ResidentFields>, { residents, holders }: Known): Group<ResidentFields> => {
  const { uuid, username } = row.fields;
  const stored = residents.get(uuid);
  const claims = claimsOf(row.fields);
  const former = claims.slice(1).find((name) => (holders.get(name) ?? uuid) !== uuid);
  if (former)
    return {
      rows: [row],
      outcome: {
        field: 'formerNames',
        value: former,
        message: `must be this resident's own: the name leads to the resident ${holders.get(former)}`,
      },
    };
  const holder = residents.get(holders.get(username) ?? '');
  const taken = holder && holder.uuid !== uuid ? holder : undefined;
  const isRenamed = stored !== undefined && stored.username !== username;
  // A name of theirs that leads nowhere, as in a table restored with half a transaction, is written again.
  const isNoted = (name: string): boolean => stored?.names.includes(name) === true && holders.get(name) === uuid;
  if (stored && !isRenamed && !taken && claims.every(isNoted))
    return { rows: [row], outcome: stored.renaming ? 'changed' : 'unchanged' };
  const names = [...new Set([...claims, ...(stored?.names ?? [])])];
  return {
    rows: [row],
    outcome: stored ? 'changed' : 'created',
    // The present holder of the name needs a new name in the same file. Either row may come first.
    ...(taken?.username === username && {
      awaits: {
        key: taken.uuid,
        fault: {
          field: 'username',
          value: username,
          message: `belongs to the resident ${taken.uuid}: give that resident's new name in the same file`,
        },
      },
    }),
    writes: [
      ...residentItems({ uuid, username }, names, stored, {
        takenFrom: taken?.uuid,
        ...(isRenamed && { renaming: true }),
      }),
      ...(taken ? [takeName(taken, username)] : []),
    ],
  };
};

/** Residents, whom all stores share. A rename also changes the copies of the name in the items of every store. */
export const residents: Importer<ResidentFields> = {
  plan: async (rows) => {
    const known = await readKnown(rows);
    return rows.map((row) => groupOf(row, known));
  },
  finish: async (groups) => {
    const changed = groups.filter(({ outcome }) => outcome === 'changed').flatMap(({ rows }) => rows);
    if (changed.length === 0) return;
    forgetResidents();
    const stores = await listStores();
    const rows = changed.map(({ fields }) => residentKey(fields.uuid));
    // The transaction of the rename sets `renaming`, and it stays until all copies are renamed: a crash loses none.
    const renamed = (await getMany<StoredResident>(rows, { consistent: true })).filter(({ renaming }) => renaming);
    const follow = async (resident: StoredResident): Promise<void> => {
      for (const { id } of stores) await renameEverywhere(id, resident);
      await upsert(residentKey(resident.uuid), { set: { renaming: undefined } });
    };
    await pMap(renamed, follow, sideBySide);
  },
};
