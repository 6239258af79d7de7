import { InvalidArgumentError, Option } from 'commander';
import { now } from '../../../lib/clock.ts';
import { isSameText } from '../../../lib/normalise.ts';
import { type PresetName, presetNames, presets, readScopes } from '../../../lib/routes/key-presets.ts';
import { type Scope, scopes } from '../../../lib/routes/scopes.ts';
import { type ApiKey, isLive, keyFacts, revokeKey } from '../../../lib/store/api-keys.ts';
import { issueKey, listKeys, rotateKey, successorEnd } from '../../../lib/store/issued-keys.ts';
import {
  askForRights,
  type ExpiryOptions,
  expiresOption,
  expiryOf,
  isCurrent,
  keyColumns,
  prefixOf,
  presetHelp,
  presetOption,
  printNewKey,
  shown,
} from '../deployment/keys.ts';
import { openLog } from '../deployment/log.ts';
import { type GlobalOptions, openStore } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure, UsageError } from '../terminal/errors.ts';
import { parseName, parseOverlap } from '../terminal/input.ts';
import { isInteractive, note, print, shownTime } from '../terminal/output.ts';

const parseScopes = (text: string): Scope[] => {
  const named = text.split(',').map((scope) => scope.trim());
  const unknown = named.filter((scope) => !(scopes as readonly string[]).includes(scope));
  if (unknown.length > 0)
    throw new InvalidArgumentError(`There is no scope ${unknown.join(', ')}. There are: ${scopes.join(', ')}.`);
  return scopes.filter((scope) => named.includes(scope));
};

interface IssueOptions extends ExpiryOptions {
  scopes?: Scope[];
  allScopes?: boolean;
  readOnly?: boolean;
  preset?: PresetName;
}

/** The scopes that the options give a new key; undefined if the person at the terminal has to choose them. */
const chosenScopes = ({ preset, scopes: some, allScopes, readOnly }: IssueOptions): readonly Scope[] | undefined => {
  if (preset) return presets[preset].scopes;
  if (some) return some;
  if (allScopes) return scopes;
  if (readOnly) return readScopes;
  if (isInteractive()) return undefined;
  throw new UsageError(
    `Say what the key may do: --preset ${presetNames.join('|')}, ` +
      '--scopes coupons:read,coupons:apply (or others), --read-only or --all-scopes.',
  );
};

/** The keys with this id, with or without the prefix. Without such a key, the keys with this name. */
const matching = (keys: readonly ApiKey[], wanted: string): ApiKey[] => {
  const byId = keys.filter(({ id }) => id === wanted || /^sis_(?:live|test)_(\w{12})$/.exec(wanted)?.[1] === id);
  return byId.length > 0 ? byId : keys.filter(({ name }) => isSameText(name, wanted));
};

/** An invitation that nobody has accepted can be revoked as a live key can. */
const isOngoing = (key: ApiKey): boolean => key.status === 'invited' || isLive(key);

/** The keys with this id or name that have not ended. Throws if there is none. */
const getLive = (keys: readonly ApiKey[], wanted: string): ApiKey[] => {
  const live = keys.filter(isOngoing);
  const found = matching(live, wanted);
  if (found.length > 0) return found;
  const names = [...new Set(live.map(({ name }) => name))].join(', ');
  const isOver = matching(keys, wanted).length > 0;
  throw new Failure(
    `${isOver ? `The key ${wanted} is revoked or expired already.` : `There is no key ${wanted}.`} ` +
      (names === '' ? 'The store has no live key.' : `Live keys: ${names}.`),
  );
};

const issue = async (options: IssueOptions, name: string): Promise<void> => {
  const wanted = chosenScopes(options);
  const { target, store } = await openStore(options);
  const end = expiryOf(options);
  if (matching((await listKeys(store.id)).filter(isCurrent), name).length > 0)
    throw new Failure(
      `${store.name} has a live key "${name}". Choose another name, or replace that key: store key rotate "${name}"`,
    );
  const rights = wanted ? { scopes: wanted, expiresAt: end } : await askForRights(end);
  const log = await openLog(target);
  const { key, text } = await issueKey({ store: store.id, name, stage: target.keyStage, ...rights }, (key) =>
    log('key.issued', store.id, keyFacts(key)),
  );
  printNewKey(key, text, target);
};

const list = async (options: GlobalOptions): Promise<void> => {
  const { target, store } = await openStore(options);
  const keys = await listKeys(store.id);
  print(
    keys.map((key) => shown(key, target, keys)),
    keyColumns,
    'The store has no key yet. Issue one: store key issue',
  );
};

const rotate = async (options: ExpiryOptions & { overlap: () => string }, wanted: string): Promise<void> => {
  const { target, store } = await openStore(options);
  const [old, ...others] = getLive(await listKeys(store.id), wanted).filter(isCurrent);
  if (!old) throw new Failure(`The key ${wanted} was rotated already, and is about to end. See store key list.`);
  if (others.length > 0)
    throw new UsageError(`Several live keys have the name ${wanted}: give the prefix of one, from store key list.`);
  const startedAt = now();
  const overlapEnd = options.overlap();
  if (Date.parse(overlapEnd) < startedAt)
    throw new UsageError(`--overlap must not end in the past: ${overlapEnd} is over.`);
  // Compares times, not texts, so that a rotation never lets the old key live longer.
  const endsFirst = old.expiresAt !== undefined && Date.parse(old.expiresAt) < Date.parse(overlapEnd);
  const until = endsFirst ? (old.expiresAt as string) : overlapEnd;
  const log = await openLog(target);
  const end = expiryOf(options) ?? successorEnd(old);
  const { key, text } = await rotateKey(old, until, target.keyStage, end, (key) =>
    log('key.rotated', store.id, { ...keyFacts(key), replaces: old.id, until }),
  );
  printNewKey(key, text, target);
  note(`The old key, ${prefixOf(old, target)}, ends ${shownTime(until)}: put the new one in its place by then.`);
};

const revoke = async (options: GlobalOptions, wanted: string): Promise<void> => {
  const { target, store } = await openStore(options);
  const found = getLive(await listKeys(store.id), wanted);
  const log = await openLog(target);
  for (const key of found) await revokeKey(key.id, log('key.revoked', store.id, keyFacts(key)));
  const after = (await listKeys(store.id)).filter(({ id }) => found.some((key) => key.id === id));
  const effectiveWithinSeconds = target.authorizerTtlSeconds;
  print(
    after.map((key) => ({ ...shown(key, target), effectiveWithinSeconds })),
    keyColumns,
  );
  note(`Revoked. It takes effect within ${effectiveWithinSeconds} seconds: until then calls may still be let in.`);
};

export const addKeys = (program: StoreCommand): void => {
  const key = program.command('key').description('API keys: issue, list, rotate, revoke.');

  key
    .command('issue')
    .description('Issues a key. It is printed once and stored nowhere. On a terminal it asks for what no option says.')
    .argument('<name>', 'what the key is for, such as "web shop"', parseName)
    .addOption(presetOption())
    .addOption(
      new Option('--scopes <list>', `what it may do, separated by commas: ${scopes.join(', ')}`)
        .conflicts('preset')
        .argParser(parseScopes),
    )
    .addOption(
      new Option('--read-only', 'every scope that ends with :read').conflicts(['preset', 'scopes', 'allScopes']),
    )
    .addOption(new Option('--all-scopes', 'all scopes').conflicts(['preset', 'scopes']))
    .addOption(expiresOption())
    .addHelpText('after', presetHelp)
    .examples(
      'store key issue "web shop" --preset shop',
      'store key issue box --preset dispenser --expires 365d',
      'store key issue "stats bot" --read-only --expires 90d',
      'KEY=$(store key issue till --scopes coupons:read,coupons:apply)',
    )
    .runs(issue);

  key
    .command('list')
    .description('Lists the keys of a store, including revoked and expired ones.')
    .examples('store key list', 'store key list --json')
    .runs(list);

  key
    .command('rotate')
    .description('Issues a key of the same name and scopes. The old key ends after the overlap.')
    .argument('<name>', 'name or prefix of the key')
    .addOption(
      new Option(
        '--overlap <when>',
        'how long the old key still works: for a duration (7d), through a day (2027-12-31) or until a time',
      )
        .default(parseOverlap('24h'), '24h')
        .argParser(parseOverlap),
    )
    .addOption(expiresOption())
    .examples(
      'store key rotate "web shop"',
      'store key rotate "web shop" --overlap 7d',
      'store key rotate "web shop" --overlap 2027-12-31',
    )
    .runs(rotate);

  key
    .command('revoke')
    .description('Ends every live key of a name, or the one key of a prefix.')
    .argument('<name>', 'name or prefix of the key')
    .examples('store key revoke "web shop"', 'store key revoke sis_live_0a1B2c3D4e5F')
    .runs(revoke);
};
