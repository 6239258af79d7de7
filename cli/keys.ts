import { now } from '../lib/clock.ts';
import { type Scope, scopes } from '../lib/routes/route.ts';
import type { ApiKey } from '../lib/store/api-keys.ts';
import { type Column, isJson, note, print, shownTime } from './output.ts';
import type { Target } from './target.ts';

/** A key as it is shown: never with its hash, and with its text only where it is issued. */
interface ShownKey extends Pick<ApiKey, 'name' | 'scopes' | 'createdAt'> {
  prefix: string;
  state: 'active' | 'rotated' | 'expired' | 'revoked';
  lastUsedAt: string | undefined;
  expiresAt: string | undefined;
  revokedAt: string | undefined;
}

const stateOf = ({ status, expiresAt, rotatedTo }: ApiKey): ShownKey['state'] => {
  if (status === 'revoked') return 'revoked';
  if (expiresAt !== undefined && Date.parse(expiresAt) <= now()) return 'expired';
  return rotatedTo === undefined ? 'active' : 'rotated';
};

/** Says whether calls with the key are let in. */
export const isLive = (key: ApiKey): boolean => ['active', 'rotated'].includes(stateOf(key));

/** Says whether the key is live and not rotated: the one that a name means. */
export const isCurrent = (key: ApiKey): boolean => stateOf(key) === 'active';

export const prefixOf = ({ id }: ApiKey, { keyStage }: Target): string => `sis_${keyStage}_${id}`;

export const shown = (key: ApiKey, target: Target): ShownKey => {
  const { name, scopes: some, createdAt, lastUsedAt, expiresAt, revokedAt } = key;
  const [prefix, state] = [prefixOf(key, target), stateOf(key)];
  return { name, prefix, state, scopes: some, createdAt, lastUsedAt, expiresAt, revokedAt };
};

export const readScopes = scopes.filter((scope) => scope.endsWith(':read'));

const shownScopes = (some: readonly Scope[]): string => {
  const hasAll = (wanted: readonly Scope[]): boolean => wanted.every((scope) => some.includes(scope));
  if (hasAll(scopes)) return 'all';
  return some.length === readScopes.length && hasAll(readScopes) ? 'read-only' : some.join(' ');
};

const stateStyles = { active: 'green', rotated: 'yellow', expired: 'dim', revoked: 'dim' } as const;

export const keyColumns: Column<ShownKey>[] = [
  { heading: 'name', cell: ({ name }) => name, wraps: true },
  { heading: 'prefix', cell: ({ prefix }) => prefix },
  { heading: 'state', cell: ({ state }) => state, style: ({ state }) => stateStyles[state] },
  { heading: 'last use', cell: ({ lastUsedAt }) => lastUsedAt?.slice(0, 10) ?? 'never' },
  { heading: 'expires', cell: ({ expiresAt }) => shownTime(expiresAt) ?? 'never' },
  { heading: 'scopes', cell: ({ scopes: some }) => shownScopes(some), wraps: true },
];

/** Prints a new key alone on standard output, and a note beside. With `--json` prints one object, with `more` members. */
export const printNewKey = (key: ApiKey, text: string, target: Target, more: object = {}): void => {
  if (isJson()) {
    print({ ...more, ...shown(key, target), key: text }, []);
    return;
  }
  const end = key.expiresAt === undefined ? 'does not expire' : `expires ${shownTime(key.expiresAt)}`;
  note(`Key "${key.name}", scopes: ${shownScopes(key.scopes)}, ${end}. It is shown only now and stored nowhere:`);
  process.stdout.write(`${text}\n`);
};
