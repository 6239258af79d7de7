import { now, timestamp } from '../clock.ts';
import type { Scope } from '../routes/route.ts';
import { exists, update } from '../table/language.ts';
import { sharedKey } from '../table/schema.ts';
import { get, write } from '../table/table.ts';

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
  /** The key that replaces this one, which stays live until `expiresAt`. */
  rotatedTo?: string;
  /** The first of the keys that this one was rotated from: Idempotency-Keys are kept under its id. */
  origin?: string;
  createdAt: string;
  /** Live until then; never ends if absent. */
  expiresAt?: string;
  /** Kept to the hour. */
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
