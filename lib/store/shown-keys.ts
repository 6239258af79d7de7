import { presetOf } from '../routes/key-presets.ts';
import type { KeyAnswer, KeyState } from '../routes/keys.ts';
import { scopes as allScopes, type Scope } from '../routes/scopes.ts';
import { type ApiKey, findKey, keyState } from './api-keys.ts';

/** Keys as the API answers them. */

/** Scopes in their fixed order. */
export const inOrder = (scopes: readonly Scope[]): Scope[] => allScopes.filter((scope) => scopes.includes(scope));

/** The answer about a key. `issuer` is the item of the key that has issued it. */
export const shown = (key: ApiKey, issuer: ApiKey | undefined): KeyAnswer => {
  const {
    id,
    name,
    scopes,
    createdAt,
    expiresAt = null,
    lastUsedAt = null,
    invitedUntil = null,
    replaces = null,
  } = key;
  const state = keyState(key, issuer);
  return {
    id,
    name,
    preset: presetOf(scopes) ?? null,
    scopes: inOrder(scopes),
    state,
    createdAt,
    expiresAt,
    lastUsedAt,
    invitedUntil,
    endedAt: endOf(key, state, issuer) ?? null,
    issuedBy: issuer ? { id: issuer.id, name: issuer.name } : null,
    replaces,
  };
};

const endOf = (key: ApiKey, state: KeyState, issuer: ApiKey | undefined): string | undefined => {
  const { status, revokedAt, expiresAt, invitedUntil, acceptedAt } = key;
  if (state === 'revoked') return status === 'revoked' ? revokedAt : issuer?.revokedAt;
  if (state !== 'expired') return undefined;
  const ends = [expiresAt, acceptedAt === undefined ? invitedUntil : undefined].filter((end) => end !== undefined);
  return ends.sort()[0];
};

export const issuerOf = async ({ issuedBy }: ApiKey): Promise<ApiKey | undefined> =>
  issuedBy ? findKey(issuedBy) : undefined;

/** A key as the API answers it. */
export const shownKey = async (key: ApiKey): Promise<KeyAnswer> => shown(key, await issuerOf(key));
