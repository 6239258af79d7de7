import { now, timestamp } from '../clock.ts';
import { notFound, unauthorized } from '../problem.ts';
import type { Scope } from '../routes/route.ts';
import { sharedKey } from '../table/keys.ts';
import { exists, is, update, type Write } from '../table/language.ts';
import { get, transact, write } from '../table/table.ts';
import { logOf } from './operator-log.ts';

/** An API key of one store. The key's text itself is not stored. */
export interface ApiKey {
  id: string;
  store: string;
  name: string;
  scopes: Scope[];
  /** SHA-256 of the secret, in hex. */
  hash: string;
  status: 'active' | 'revoked';
  revokedAt?: string;
  /** The key that replaces this one. This one stays live until `expiresAt`. */
  rotatedTo?: string;
  /** The first key, if this one comes from rotations: Idempotency-Keys are kept under its id. */
  origin?: string;
  createdAt: string;
  /** Live until this time; without it the key never ends. */
  expiresAt?: string;
  /** Exact to the hour. */
  lastUsedAt?: string;
  /** The store was deleted: the endpoints answer 404. */
  storeGone?: true;
}

export const findKey = (id: string): Promise<ApiKey | undefined> => get<ApiKey>(sharedKey('KEY', id));

const hourMillis = 3_600_000;

/** Notes that a key was used, at most once an hour, so that a busy key does not cost a write per call. */
export const noteUse = async ({ id, lastUsedAt }: ApiKey): Promise<void> => {
  if (lastUsedAt !== undefined && now() - Date.parse(lastUsedAt) < hourMillis) return;
  await write(update(sharedKey('KEY', id), { set: { lastUsedAt: timestamp(now()) }, when: exists }));
};

/** The facts of a key that the log holds. */
export const keyFacts = ({ id, name, scopes, expiresAt }: ApiKey) => ({
  key: id,
  name,
  scopes,
  ...(expiresAt !== undefined && { expiresAt }),
});

/**
 * Revokes a key for ever, in one transaction with other writes. A key that is revoked already stays as it is, and
 * nothing is written. API Gateway may accept the key until its cached answer of the authorizer expires. Throws 404 if
 * there is no such key.
 */
export const revokeKey = async (id: string, together: readonly Write[] = []): Promise<void> => {
  const set = { status: 'revoked', revokedAt: timestamp(now()) };
  const refusals = await transact([update(sharedKey('KEY', id), { set, when: is('status', 'active') }), ...together], {
    answer: undefined,
  });
  if (refusals && !refusals[0]?.item) throw notFound();
};

/**
 * Revokes the key of a request. If the key was revoked after the gateway let it in, it stays as it is. Throws 404 if
 * its store was deleted since then, 401 if the key was.
 */
export const endKey = async (id: string): Promise<void> => {
  const key = await findKey(id);
  if (!key) throw unauthorized();
  if (key.storeGone) throw notFound();
  await revokeKey(id, logOf(`key ${id}`)('key.ended', key.store, keyFacts(key)));
};
