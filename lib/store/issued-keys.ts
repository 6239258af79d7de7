import { now, timeAfter, timestamp } from '../clock.ts';
import { newKey, type Stage } from '../keys.ts';
import { invalid, notFound } from '../problem.ts';
import type { Scope } from '../routes/scopes.ts';
import { partition, sharedKey } from '../table/keys.ts';
import { all, check, exists, is, isNew, missing, put, update, type Write } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { rowsOf, transact, write } from '../table/table.ts';
import { type ApiKey, findKey } from './api-keys.ts';

interface NewApiKey {
  store: string;
  name: string;
  scopes: readonly Scope[];
  stage: Stage;
  expiresAt?: string | undefined;
  origin?: string;
  replaces?: string;
  /** The key that asks for it. Absent: the operator. */
  issuedBy?: string | undefined;
  /** Makes an invitation, which can be accepted until then. */
  invitedUntil?: string | undefined;
}

/** Where the table has the row of an API key in its store's list of keys. */
const listKey = (store: string, id: string) => ({ pk: partition(store, 'KEYS'), sk: id });

/**
 * The writes of a new key or invitation, if its store exists; `text` is the only copy of the key or of the code. This
 * is the one place where a key is made.
 */
export const issuing = ({ store, name, scopes, stage, invitedUntil, ...more }: NewApiKey) => {
  const { id, hash, text } = newKey(stage);
  const key: ApiKey = {
    id,
    store,
    name,
    scopes: [...scopes],
    status: 'active',
    createdAt: timestamp(now()),
    ...(invitedUntil === undefined ? { hash } : { status: 'invited', codeHash: hash, invitedUntil }),
    ...(more.expiresAt !== undefined && { expiresAt: more.expiresAt }),
    ...(more.origin !== undefined && { origin: more.origin }),
    ...(more.replaces !== undefined && { replaces: more.replaces }),
    ...(more.issuedBy !== undefined && { issuedBy: more.issuedBy }),
  };
  const items = [
    check(sharedKey('STORE', store), exists),
    put({ ...sharedKey('KEY', id), ...key }, isNew),
    put(listKey(store, id)),
  ];
  return { key, text, items };
};

/** Makes further writes for the transaction of a new key. */
type KeyWrites = (key: ApiKey) => readonly Write[];

const nothing: KeyWrites = () => [];

/** Issues a key; the answer's `text` is the only copy of it. Throws 404 if the store does not exist. */
export const issueKey = async (fields: NewApiKey, together = nothing) => {
  const { key, text, items } = issuing(fields);
  if (await transact([...items, ...together(key)])) throw notFound();
  return { key, text };
};

interface Rotation {
  stage: Stage;
  /** The old key ends then. */
  until: string;
  /** The new key ends then. */
  expiresAt?: string | undefined;
  issuedBy?: string | undefined;
}

/** The writes of a key that takes the place of another one, with its store, name and scopes. */
export const rotating = (old: ApiKey, { until, ...of }: Rotation) => {
  const { id, store, name, scopes, origin = id } = old;
  const made = issuing({ store, name, scopes, origin, replaces: id, ...of });
  const ending = update(sharedKey('KEY', id), {
    set: { rotatedTo: made.key.id, expiresAt: until },
    when: all(is('status', 'active'), missing('rotatedTo'), is('expiresAt', old.expiresAt)),
  });
  return { ...made, ending };
};

/**
 * Issues a key that replaces another one and has the same store, name and scopes. The other key ends at `until`. Throws
 * 404 if the store does not exist; 400 if the other key was revoked or has been rotated. If two requests rotate at
 * once, one succeeds.
 */
export const rotateKey = async (
  old: ApiKey,
  until: string,
  stage: Stage,
  expiresAt?: string,
  together: KeyWrites = nothing,
) => {
  const { key, text, items, ending } = rotating(old, { stage, until, expiresAt });
  const refusals = await transact([...items, ending, ...together(key)]);
  if (refusals?.[0]?.refused) throw notFound();
  if (refusals) throw invalid('The key was revoked or rotated meanwhile: nothing was changed.');
  return { key, text };
};

/** By default, the successor of an expiring key gets the same time to live. */
export const successorEnd = ({ createdAt, expiresAt }: ApiKey): string | undefined =>
  expiresAt && timeAfter(Date.parse(expiresAt) - Date.parse(createdAt));

/** The rows that list a store's keys, in the order of the keys' ids. */
export const listedKeys = (store: string) => rowsOf<Key>({ partition: listKey(store, '').pk });

/** The ids of a store's keys. They are read from the table itself: an index could miss a key that was just issued. */
export const listKeyIds = async (store: string): Promise<string[]> => {
  const rows = await listedKeys(store)({ descending: false });
  return rows.map(({ sk }) => sk);
};

/** Every key of a store in any state, in the order in which they were issued. */
export const listKeys = async (store: string): Promise<ApiKey[]> => {
  const keys: ApiKey[] = [];
  // Keys are read one by one, since only such reads are consistent: a key that was just issued must be here.
  for (const id of await listKeyIds(store)) {
    const key = await findKey(id);
    if (key) keys.push(key);
  }
  return keys.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
};

const change = async (id: string, set: Record<string, unknown>, together?: readonly Write[]): Promise<void> => {
  const { done } = await write(update(sharedKey('KEY', id), { set, when: exists }), { ...(together && { together }) });
  if (!done) throw new Error(`There is no API key ${id}.`);
};

/** Gives a key the state that it has in another table, from which `key` was read. */
export const copyState = (key: ApiKey, together: readonly Write[]): Promise<void> => {
  const { status, revokedAt, endedItself, rotatedTo, expiresAt, hash, acceptedAt } = key;
  return change(key.id, { status, revokedAt, endedItself, rotatedTo, expiresAt, hash, acceptedAt }, together);
};

/** Marks a key whose store was deleted: its calls are answered 404. */
export const markStoreGone = (id: string): Promise<void> => change(id, { storeGone: true });
