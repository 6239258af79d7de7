import { Option } from 'commander';
import { now } from '../../../lib/clock.ts';
import { eventNames, readableTypes } from '../../../lib/routes/events.ts';
import {
  areSame,
  type PresetName,
  presetNames,
  presetOf,
  presets,
  presetText,
  readScopes,
} from '../../../lib/routes/key-presets.ts';
import type { KeyState } from '../../../lib/routes/keys.ts';
import { scopes as allScopes, type Scope } from '../../../lib/routes/scopes.ts';
import { type ApiKey, keyState } from '../../../lib/store/api-keys.ts';
import { UsageError } from '../terminal/errors.ts';
import { ask, choose, chooseSome, parseEnd } from '../terminal/input.ts';
import { type Column, isJson, note, print, shownTime } from '../terminal/output.ts';
import type { GlobalOptions, Target } from './target.ts';

/** A key as the command shows it, without its hash and its text. */
interface ShownKey extends Pick<ApiKey, 'name' | 'scopes' | 'createdAt'> {
  prefix: string;
  state: KeyState;
  /** The preset with exactly these scopes, if there is one. */
  preset: PresetName | undefined;
  lastUsedAt: string | undefined;
  expiresAt: string | undefined;
  revokedAt: string | undefined;
}

/** Says whether the key is live and not rotated. The name of a key means such a one. */
export const isCurrent = (key: ApiKey): boolean => keyState(key, undefined) === 'active';

export const prefixOf = ({ id }: ApiKey, { keyStage }: Target): string => `sis_${keyStage}_${id}`;

/** `all` has the key that has issued this one, if another key has. */
export const shown = (key: ApiKey, target: Target, all: readonly ApiKey[] = []): ShownKey => {
  const { name, scopes: some, createdAt, lastUsedAt, expiresAt, revokedAt } = key;
  const issuer = all.find(({ id }) => id === key.issuedBy);
  const [prefix, state] = [prefixOf(key, target), keyState(key, issuer)];
  return { name, prefix, state, preset: presetOf(some), scopes: some, createdAt, lastUsedAt, expiresAt, revokedAt };
};

export const shownScopes = (some: readonly Scope[]): string =>
  presetOf(some) ?? (areSame(some, readScopes) ? 'read-only' : some.join(' '));

const stateStyles = { invited: 'yellow', active: 'green', rotated: 'yellow', expired: 'dim', revoked: 'dim' } as const;

export const keyColumns: Column<ShownKey>[] = [
  { heading: 'name', cell: ({ name }) => name, wraps: true },
  { heading: 'prefix', cell: ({ prefix }) => prefix },
  { heading: 'state', cell: ({ state }) => state, style: ({ state }) => stateStyles[state] },
  { heading: 'last use', cell: ({ lastUsedAt }) => lastUsedAt?.slice(0, 10) ?? 'never' },
  { heading: 'expires', cell: ({ expiresAt }) => shownTime(expiresAt) ?? 'never' },
  { heading: 'scopes', cell: ({ scopes: some }) => shownScopes(some), wraps: true },
];

/** `--preset`, for the commands that issue keys. */
export const presetOption = (): Option =>
  new Option('--preset <name>', 'what the key is for, which gives it its scopes').choices(presetNames);

/** The presets for the help, with what a thief of such a key could do. */
export const presetHelp = `\nPresets:\n${presetNames
  .map((name) => `  ${name.padEnd(9)}  ${presets[name].use}.\n             A thief ${presets[name].risk}.`)
  .join('\n')}`;

export interface ExpiryOptions extends GlobalOptions {
  expires?: () => string;
}

/** `--expires`, for the same commands. */
export const expiresOption = (): Option =>
  new Option('--expires <when>', 'when it ends: after a duration (90d), on a day (2027-12-31) or at a time').argParser(
    parseEnd,
  );

/**
 * The end that `--expires` gives; throws if it is past. It uses the deployment's clock, so open the deployment first.
 */
export const expiryOf = ({ expires }: ExpiryOptions): string | undefined => {
  const end = expires?.();
  if (end === undefined || Date.parse(end) > now()) return end;
  throw new UsageError(`--expires must be in the future: ${end} is over.`);
};

const endFault = (text: string): string | undefined => {
  try {
    return text === 'never' || Date.parse(parseEnd(text)()) > now() ? undefined : 'It must be in the future.';
  } catch (error) {
    return `${(error as Error).message} Or never.`;
  }
};

interface Rights {
  scopes: readonly Scope[];
  expiresAt: string | undefined;
}

/** Asks the person at the terminal for a new key's purpose and, if `expiresAt` is undefined, for its end. */
export const askForRights = async (expiresAt: string | undefined): Promise<Rights> => {
  const options = presetNames.map((value) => ({ value, hint: presetText(value) }));
  const own = { value: 'scopes' as const, hint: 'something else: pick its scopes one by one' };
  const purpose = await choose<PresetName | 'scopes'>('What is the key for?', [...options, own]);
  const picks = 'What may it do? Pick with the space bar';
  const scopes = purpose === 'scopes' ? await chooseSome(picks, allScopes) : presets[purpose].scopes;
  if (expiresAt !== undefined) return { scopes, expiresAt };
  const end = await ask('When does it end? Such as 90d, 2027-12-31 or never', '--expires', endFault, '365d');
  return { scopes, expiresAt: end === 'never' ? undefined : parseEnd(end)() };
};

/** Tells the merchant which events a new key may see; undefined if it may see none. */
const eventsText = (held: readonly Scope[]): string | undefined => {
  const mayRead = held.includes('events:read');
  const maySend = held.includes('webhooks:write');
  if (!mayRead && !maySend) return undefined;
  const types = readableTypes(held);
  const which = types.length === eventNames.length ? 'all events of your store' : `the events ${types.join(', ')}`;
  const cards = types.includes('giftcard.granted') ? ' Those of gift cards hold ids that are money.' : '';
  if (!maySend) return `It may read ${which}.${cards}`;
  return `It may send ${which} to any address${mayRead ? ', and read them' : ''}.${cards}`;
};

/** Prints notes on the rights of a new key. */
export const noteRights = (held: readonly Scope[]): void => {
  const preset = presetOf(held);
  if (preset) note(`${preset}: ${presetText(preset)}`);
  const events = eventsText(held);
  if (events) note(events);
};

/**
 * Prints a new key alone on standard output, and notes on standard error. With `--json`, prints one object, with `more`
 * members.
 */
export const printNewKey = (key: ApiKey, text: string, target: Target, more: object = {}): void => {
  if (isJson()) {
    print({ ...more, ...shown(key, target), key: text }, []);
    return;
  }
  const end = key.expiresAt === undefined ? 'does not expire' : `expires ${shownTime(key.expiresAt)}`;
  noteRights(key.scopes);
  note(`Key "${key.name}", scopes: ${shownScopes(key.scopes)}, ${end}. It is shown only now and stored nowhere:`);
  process.stdout.write(`${text}\n`);
};
