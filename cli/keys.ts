import { now } from '../lib/clock.ts';
import { type Scope, scopes } from '../lib/routes/route.ts';
import type { ApiKey } from '../lib/store/api-keys.ts';
import { type Column, isJson, note, print, shownTime } from './output.ts';
import type { Target } from './target.ts';

/** A key as it is shown: never its hash, and its text only where it is issued. */
interface ShownKey {
  name: string;
  prefix: string;
  state: 'active' | 'rotated' | 'expired' | 'revoked';
  scopes: readonly Scope[];
  createdAt: string;
  lastUsedAt?: string | undefined;
  expiresAt?: string | undefined;
  revokedAt?: string | undefined;
}

const isExpired = ({ expiresAt }: ApiKey): boolean => expiresAt !== undefined && Date.parse(expiresAt) <= now();

/** Whether calls with the key are let in. */
export const isLive = (key: ApiKey): boolean => key.status === 'active' && !isExpired(key);

/** A key that is live and not to be replaced any more: the one that a name means. */
export const isCurrent = (key: ApiKey): boolean => isLive(key) && key.rotatedTo === undefined;

export const prefixOf = ({ id }: ApiKey, { keyStage }: Target): string => `sis_${keyStage}_${id}`;

const stateOf = (key: ApiKey): ShownKey['state'] => {
  if (key.status === 'revoked') return 'revoked';
  if (isExpired(key)) return 'expired';
  return key.rotatedTo === undefined ? 'active' : 'rotated';
};

export const shown = (key: ApiKey, target: Target): ShownKey => {
  const { name, createdAt, lastUsedAt, expiresAt, revokedAt } = key;
  const state = stateOf(key);
  return {
    name,
    prefix: prefixOf(key, target),
    state,
    scopes: key.scopes,
    createdAt,
    lastUsedAt,
    expiresAt,
    revokedAt,
  };
};

export const readScopes = scopes.filter((scope) => scope.endsWith(':read'));

const hasAll = (of: readonly Scope[], wanted: readonly Scope[]): boolean => wanted.every((scope) => of.includes(scope));

const shownScopes = (of: readonly Scope[]): string => {
  if (hasAll(of, scopes)) return 'all';
  return of.length === readScopes.length && hasAll(of, readScopes) ? 'read-only' : of.join(' ');
};

const stateStyles = { active: 'green', rotated: 'yellow', expired: 'dim', revoked: 'dim' } as const;

export const keyColumns: Column<ShownKey>[] = [
  { heading: 'name', cell: ({ name }) => name, wraps: true },
  { heading: 'prefix', cell: ({ prefix }) => prefix },
  { heading: 'state', cell: ({ state }) => state, style: ({ state }) => stateStyles[state] },
  { heading: 'last use', cell: ({ lastUsedAt }) => lastUsedAt?.slice(0, 10) ?? 'never' },
  { heading: 'expires', cell: ({ expiresAt }) => shownTime(expiresAt) ?? 'never' },
  { heading: 'scopes', cell: ({ scopes: of }) => shownScopes(of), wraps: true },
];

/**
 * Prints a new key: its text alone on standard output, and what is to be known of it beside. With `--json` it is one
 * object, of which `beside` is a part.
 */
export const printNewKey = (key: ApiKey, text: string, target: Target, beside: object = {}): void => {
  if (isJson()) {
    print({ ...beside, ...shown(key, target), key: text }, []);
    return;
  }
  const end = key.expiresAt === undefined ? 'does not expire' : `expires ${shownTime(key.expiresAt)}`;
  note(`Key "${key.name}", scopes: ${shownScopes(key.scopes)}, ${end}. It is shown this once and stored nowhere:`);
  process.stdout.write(`${text}\n`);
};
