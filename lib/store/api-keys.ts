import { now, timestamp } from '../clock.ts';
import { notFound, unauthorized } from '../problem.ts';
import type { KeyState } from '../routes/keys.ts';
import type { Scope } from '../routes/scopes.ts';
import { sharedKey } from '../table/keys.ts';
import { all, exists, isNot, update, type Write } from '../table/language.ts';
import { get, transact, write } from '../table/table.ts';
import { logOf } from './operator-log.ts';

/** An API key of one store. The key's text itself is not stored. */
export interface ApiKey {
  id: string;
  store: string;
  name: string;
  scopes: Scope[];
  /** SHA-256 of the secret, in hex. An invitation has none until it is accepted. */
  hash?: string;
  /** SHA-256 of the secret of an invitation's code, in hex. It stays after acceptance. */
  codeHash?: string;
  status: 'invited' | 'active' | 'revoked';
  /** The key that issued it through the API. Absent: the operator did. */
  issuedBy?: string;
  /** The key that it took the place of by a rotation. */
  replaces?: string;
  /** Until this time the code of an invitation can be accepted. */
  invitedUntil?: string;
  acceptedAt?: string;
  revokedAt?: string;
  /** The key revoked itself: the invitations that it has issued stay. */
  endedItself?: true;
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

const isOver = (time: string | undefined): boolean => time !== undefined && Date.parse(time) <= now();

/** True if the API accepts the key's text, not the code of an invitation. */
export const isLive = ({ status, expiresAt }: ApiKey): boolean => status === 'active' && !isOver(expiresAt);

/** An invitation is void if its issuer was revoked by another key or by the operator. `issuer` is the issuer's item. */
export const isVoid = ({ status }: ApiKey, issuer: ApiKey | undefined): boolean =>
  status === 'invited' && issuer?.status === 'revoked' && !issuer.endedItself;

/** A key's state, as all who list keys see it. `issuer` is the item of the key that has issued it. */
export const keyState = (key: ApiKey, issuer: ApiKey | undefined): KeyState => {
  const { status, expiresAt, invitedUntil, rotatedTo } = key;
  if (status === 'revoked' || isVoid(key, issuer)) return 'revoked';
  if (isOver(expiresAt)) return 'expired';
  if (status === 'invited') return isOver(invitedUntil) ? 'expired' : 'invited';
  return rotatedTo === undefined ? 'active' : 'rotated';
};

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

/** Revokes a key for ever, unless it is revoked. */
export const revoking = (id: string, more: Partial<ApiKey> = {}): Write =>
  update(sharedKey('KEY', id), {
    set: { status: 'revoked', revokedAt: timestamp(now()), ...more },
    when: all(exists, isNot('status', 'revoked')),
  });

const revokeIn = async (first: Write, together: readonly Write[]): Promise<void> => {
  const refusals = await transact([first, ...together], { answer: undefined });
  if (refusals && !refusals[0]?.item) throw notFound();
};

/**
 * Revokes a key for ever, in one transaction with other writes. A key that is revoked already stays as it is, and
 * nothing is written. API Gateway may accept the key until its cached answer of the authorizer expires. Throws 404 if
 * there is no such key.
 */
export const revokeKey = (id: string, together: readonly Write[] = []): Promise<void> =>
  revokeIn(revoking(id), together);

/**
 * Revokes the key of a request. If the key was revoked after the gateway let it in, it stays as it is. Throws 404 if
 * its store was deleted since then, 401 if the key was.
 */
export const endKey = async (id: string): Promise<void> => {
  const key = await findKey(id);
  if (!key) throw unauthorized();
  if (key.storeGone) throw notFound();
  await revokeIn(revoking(id, { endedItself: true }), logOf(`key ${id}`)('key.ended', key.store, keyFacts(key)));
};
