import type { LookUpAnswer } from '../avatars/resident-lookup.ts';
import {
  asTold,
  type KnownResident,
  type RenameMark,
  type Resident,
  type StoredResident,
} from '../avatars/residents.ts';
import { invalid } from '../problem.ts';
import { answer, type Decision, decide, writeAll } from '../table/decide.ts';
import { nameKey, residentKey, storeNameKey, storeResidentKey } from '../table/keys.ts';
import { any, applied, is, isNew, put, update, type Write } from '../table/language.ts';
import { get } from '../table/table.ts';
import { renameMark } from './renames.ts';

/** At most this number of names is kept for one avatar in a store. */
const maxNames = 50;

/**
 * The writes of what a store is told about an avatar: its names, the current one first. None of these names may be
 * another's. There are no writes if that changes nothing. `newMark` is the mark for an avatar that the store did not
 * know. Throws 400 for too many names.
 */
export const toldWrites = (
  store: string,
  uuid: string,
  claims: readonly string[],
  told: StoredResident | undefined,
  newMark: RenameMark = {},
): Write[] => {
  const names = [...new Set([...claims, ...(told?.names ?? [])])];
  const username = names[0] ?? uuid;
  if (told && told.username === username && told.names.length === names.length) return [];
  if (names.length > maxNames)
    throw invalid(`username is one name too many: the store knows ${maxNames} names of this resident already.`);
  const key = storeResidentKey(store, uuid);
  return [
    told
      ? // Customers, coupons and cards hold a copy of the name: the next sweep renames them.
        update(key, { set: { username, names, ...renameMark() }, when: is('names', told.names) })
      : put({ ...key, uuid, username, names, ...newMark }, isNew),
    ...claims.map((name) => put({ ...storeNameKey(store, name), uuid }, any(isNew, is('uuid', uuid)))),
  ];
};

const anothers = 'username belongs to another resident. Only the operator can move a name.';

/** All that the operator and the store were told about an avatar. `isUnmet`: the store is told for the first time. */
interface Knowledge {
  shared: StoredResident | undefined;
  told: StoredResident | undefined;
  isUnmet?: boolean;
}

/** The resident as the store knows them, given what the operator and the store were told. */
const viewOf = async (shared: StoredResident | undefined, told: StoredResident | undefined): Promise<KnownResident> => {
  const own = told && (await asTold(told));
  if (!shared) return own as KnownResident;
  const { uuid, username, names } = shared;
  return { uuid, username, names: [...new Set([username, ...names, ...(own?.names ?? [])])], source: 'operator' };
};

type NameSource = 'request' | 'dispenser';

/** Asks the store's dispenser who an avatar is. */
type AskDispenser = () => Promise<LookUpAnswer>;

/** A store that has no dispenser to ask believes a request. */
const unasked: AskDispenser = async () => ({ isUnasked: true });

/**
 * The names by which a store may know an avatar after it was told one: this name, unless another avatar of the store
 * has it, or nobody vouches for it.
 */
const allowedNames = (
  { uuid, username }: Resident,
  by: NameSource,
  holder: { uuid: string } | undefined,
  asked: LookUpAnswer | undefined,
): string[] => {
  if (holder) return holder.uuid === uuid ? [username] : [];
  return by === 'dispenser' || asked?.resident || asked?.isUnasked ? [username] : [];
};

/** Reads all that the operator and the store were told about an avatar, and about a name. */
const readStoredNames = async (store: string, { uuid, username }: Resident) => {
  const [shared, operatorsHolder, told, holder] = await Promise.all([
    get<StoredResident>(residentKey(uuid)),
    get<Resident>(nameKey(username)),
    get<StoredResident>(storeResidentKey(store, uuid)),
    get<{ uuid: string }>(storeNameKey(store, username)),
  ]);
  return { shared, operatorsHolder, told, holder };
};

/**
 * Tells a store the current name of an avatar, in canonical form. `by` says who tells it: a key's request or the
 * store's dispenser.
 *
 * The operator's word wins. If the operator knows the resident, a request changes nothing. If the operator knows the
 * name as another's, it is refused with 400. If the store has the name for another avatar, it stays there, since a
 * vendor's key must not redirect money: a request makes the newcomer known without the name, and a dispenser's answer
 * is refused with 400.
 *
 * If the store has not met the name, it is free, and gifts and credit may be given to it. So before a request gets it,
 * `ask` asks the dispenser for the avatar, and the dispenser's answer counts. Without an answer the avatar becomes
 * known without the name. Throws 400 if the dispenser answers that there is nobody.
 */
export const tellResident = async (
  store: string,
  resident: Resident,
  by: NameSource,
  ask = unasked,
): Promise<KnownResident> => {
  const { uuid } = resident;
  let asked: LookUpAnswer | undefined;
  const step = async (): Promise<Decision<Knowledge>> => {
    const username = asked?.resident?.username ?? resident.username;
    const { shared, operatorsHolder, told, holder } = await readStoredNames(store, { uuid, username });
    if (shared && (by === 'request' || operatorsHolder?.uuid === uuid)) return answer({ shared, told });
    if (operatorsHolder || (by === 'dispenser' && holder && holder.uuid !== uuid)) throw invalid(anothers);
    if (by === 'request' && !holder && !asked) {
      asked = await ask();
      if (asked.isNobody) throw invalid('uuid names a resident who does not exist.');
      // The function that asked has kept this name for the store.
      if (asked.resident) return step();
    }
    const claims = allowedNames({ uuid, username }, by, holder, asked);
    // The mark renames a customer who is called by this UUID: a sale made them when nobody could name the avatar.
    const [change, ...names] = toldWrites(store, uuid, claims, told, renameMark());
    if (!change) return answer({ shared, told });
    const after = applied(change, told && { ...told }) as unknown as StoredResident;
    return writeAll([change, ...names], { result: { shared, told: after, isUnmet: !shared && !told } });
  };
  const { shared, told, isUnmet } = await decide(step);
  // An avatar whom the store did not know has no earlier name that the operator could have moved.
  if (isUnmet && told) return { uuid, username: told.username, names: told.names, source: 'store' };
  return viewOf(shared, told);
};
