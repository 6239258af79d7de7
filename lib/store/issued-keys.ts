import { now, timestamp } from '../clock.ts';
import { newKey, type Stage } from '../keys.ts';
import { invalid, notFound } from '../problem.ts';
import type { Scope } from '../routes/route.ts';
import { partition, sharedKey } from '../table/keys.ts';
import { all, check, exists, is, missing, put, update, type Write } from '../table/language.ts';
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
}

/** The writes of a new key, if its store exists; `text` is the only copy of the key. */
const issuing = ({ store, name, scopes, stage, expiresAt, origin }: NewApiKey) => {
  const { id, hash, text } = newKey(stage);
  const createdAt = timestamp(now());
  const key: ApiKey = { id, store, name, scopes: [...scopes], hash, status: 'active', createdAt };
  if (expiresAt !== undefined) key.expiresAt = expiresAt;
  if (origin !== undefined) key.origin = origin;
  const items = [
    check(sharedKey('STORE', store), exists),
    put({ ...sharedKey('KEY', id), ...key }),
    put({ pk: partition(store, 'KEY'), sk: id }),
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
  const { store, name, scopes, origin = old.id } = old;
  const end = expiresAt === undefined ? {} : { expiresAt };
  const { key, text, items } = issuing({ store, name, scopes, stage, origin, ...end });
  const refusals = await transact([
    ...items,
    update(sharedKey('KEY', old.id), {
      set: { rotatedTo: key.id, expiresAt: until },
      when: all(is('status', 'active'), missing('rotatedTo')),
    }),
    ...together(key),
  ]);
  if (refusals?.[0]?.refused) throw notFound();
  if (refusals) throw invalid('The key was revoked or rotated meanwhile: nothing was changed.');
  return { key, text };
};

/** The ids of a store's keys. They are read from the table itself: an index could miss a key that was just issued. */
export const listKeyIds = async (store: string): Promise<string[]> => {
  const rows = await rowsOf<Key>({ partition: partition(store, 'KEY') })({ descending: false });
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

/** Gives a key the end that it has in another table, from which `key` was read. */
export const copyEnd = (
  { id, status, revokedAt, rotatedTo, expiresAt }: ApiKey,
  together: readonly Write[],
): Promise<void> => change(id, { status, revokedAt, rotatedTo, expiresAt }, together);

/** Marks a key whose store was deleted: its calls are answered 404. */
export const markStoreGone = (id: string): Promise<void> => change(id, { storeGone: true });
