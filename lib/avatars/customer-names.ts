import { merged, type Source } from '../lists/source.ts';
import { customerKey, customerNameKey, nameKey, partition, residentKey, storeResidentKey } from '../table/keys.ts';
import { is, put, remove, type Write } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { getMany, inChunks, rowsOf, write } from '../table/table.ts';
import type { StoredResident } from './residents.ts';

/**
 * The names of a store's customers, former names too. Each name is an item by itself, so a part of a name finds
 * customers at the same cost however many there are. No request writes these items, since each new customer would cost
 * more. The consumer of the table's stream writes them when somebody becomes a customer; after a rename the code that
 * follows the rename does.
 */

/** A name that leads to a customer; `sk` is the name. */
interface CustomerName extends Key {
  uuid: string;
  /** The current name. */
  username: string;
}

/** All names of a store's customers, in their order. */
export const listCustomerNames = (store: string): Source<CustomerName> =>
  rowsOf({ partition: partition(store, 'CUSTOMER_NAME') });

/** The names that begin with `prefix`, and the name `whole` itself: see `namePrefix`. */
export const findNames = (
  store: string,
  { prefix, whole }: { prefix: string; whole?: string | undefined },
): Source<CustomerName> => {
  const between = (first: string, last: string): Source<CustomerName> =>
    rowsOf({ partition: partition(store, 'CUSTOMER_NAME'), isEventual: true, first, last });
  const begun = between(prefix, `${prefix}~`);
  return whole === undefined ? begun : merged([between(whole, whole), begun], ({ sk }) => sk);
};

/** The names of avatars as a store knows them, by UUID, the current name first. */
export const readNames = async (store: string, uuids: readonly string[]): Promise<Map<string, string[]>> => {
  const [shared, told] = await Promise.all([
    getMany<StoredResident>(uuids.map(residentKey), { consistent: true }),
    getMany<StoredResident>(
      uuids.map((uuid) => storeResidentKey(store, uuid)),
      { consistent: true },
    ),
  ]);
  const toldNames = told.flatMap(({ names }) => names);
  const holders = await getMany<Key & { uuid: string }>(toldNames.map(nameKey), { consistent: true });
  const holderOf = new Map(holders.map(({ pk, uuid }) => [pk, uuid]));
  const namesOf = new Map<string, string[]>();
  for (const { uuid, username, names } of [...shared, ...told]) {
    // The operator's word wins: a name does not lead to an avatar if the operator knows it as another's.
    const own = [username, ...names].filter(
      (name) => name !== uuid && (holderOf.get(nameKey(name).pk) ?? uuid) === uuid,
    );
    namesOf.set(uuid, [...new Set([...(namesOf.get(uuid) ?? []), ...own])]);
  }
  return namesOf;
};

/** Tells which of some avatars are customers. */
export const customersAmong = async (store: string, uuids: readonly string[]): Promise<Set<string>> => {
  const keys = uuids.map((uuid) => customerKey(store, uuid));
  const found = await getMany<Key>(keys, { consistent: true, attributes: [] });
  return new Set(found.map(({ sk }) => sk));
};

/**
 * The writes that bring the items of these avatars' names up to date. `earlier` are further names that may lead to
 * them. A name of somebody who is no customer leads to nobody.
 */
const nameWrites = async (
  store: string,
  uuids: readonly string[],
  isCustomer: (uuid: string) => boolean,
  earlier: readonly string[],
): Promise<Write[]> => {
  const known = await readNames(store, uuids);
  const wanted = new Map<string, { uuid: string; username: string }>();
  for (const [uuid, names] of known)
    for (const name of isCustomer(uuid) ? names : []) wanted.set(name, { uuid, username: names[0] ?? uuid });
  const all = [...new Set([...[...known.values()].flat(), ...earlier])];
  const keys = all.map((name) => customerNameKey(store, name));
  const found = new Map(
    (await getMany<CustomerName>(keys, { consistent: true })).map((item) => [item.sk, item] as const),
  );
  const isTheirs = (name: string): boolean =>
    uuids.includes(found.get(name)?.uuid ?? '') || [...known.values()].some((names) => names.includes(name));
  return all.flatMap((name) => {
    const [key, there, now] = [customerNameKey(store, name), found.get(name), wanted.get(name)];
    if (now) return there?.uuid === now.uuid && there.username === now.username ? [] : [put({ ...key, ...now })];
    return there && isTheirs(name) ? [remove(key, is('uuid', there.uuid))] : [];
  });
};

const sideBySide = 100;

/**
 * Brings the items of these avatars' names up to date. It may be called often and in any order. After it wrote names it
 * looks once more, so somebody who was erased meanwhile leaves no name, even if they are a customer again.
 */
export const followNames = async (
  store: string,
  uuids: readonly string[],
  earlier: readonly string[] = [],
): Promise<void> => {
  for (const some of inChunks([...new Set(uuids)], sideBySide)) {
    const look = async (names: readonly string[]): Promise<Write[]> => {
      const customers = await customersAmong(store, some);
      return nameWrites(store, some, (uuid) => customers.has(uuid), names);
    };
    const writes = await look(earlier);
    await Promise.all(writes.map((one) => write(one)));
    const written = writes.flatMap((one) => (one.kind === 'put' ? String(one.item.sk) : []));
    if (written.length === 0) continue;
    const removals = (await look(written)).filter(({ kind }) => kind === 'remove');
    await Promise.all(removals.map((one) => write(one)));
  }
};
